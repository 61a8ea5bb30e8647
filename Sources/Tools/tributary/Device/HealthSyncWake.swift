import Core
import Foundation
import HealthData
import HealthStores
import HealthSync
import Outbox
import Storage
import TributaryServer
import Wire

/// Where `device sync` brings health data.
enum HealthSyncTarget: Hashable {
    case outbox
    case ndjson(URL)
    case fhir(URL)
    case hub(EventHubConnection)

    /// Reads a target of `--to`.
    ///
    /// - Throws: ``Wire/WireError`` `event-hub-invalid`; `file-unreadable`; nil for what is none.
    init?(_ text: String) throws {
        guard text != "outbox" else {
            self = .outbox
            return
        }
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let value = String(parts[1])
        switch parts[0] {
        case "ndjson": self = .ndjson(URL(fileURLWithPath: value).standardizedFileURL)
        case "fhir":
            guard let url = URL(string: value), let scheme = url.scheme, let host = url.host(percentEncoded: false),
                scheme == "https" || scheme == "http" && LoopbackHost.matches(host), url.query == nil
            else { return nil }
            self = .fhir(url)
        case "hub":
            // A key in an argument is in the list of processes.
            let isFile = value.hasPrefix("@")
            let connection = isFile ? try Self.line(of: String(value.dropFirst())) : value
            self = .hub(try EventHubConnection(reading: connection))
        default: return nil
        }
    }

    /// The first line of a file that holds a secret.
    static func line(of path: String) throws -> String {
        guard let data = try FileAccess.contents(of: URL(fileURLWithPath: path)), data.count <= 65_536,
            let line = String(validUTF8: data)?.split(whereSeparator: \.isNewline).first
        else { throw CommandError("file-unreadable", "The file \(path) cannot be read, or holds nothing.") }
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// The name of the store: the progress of a file belongs to its path.
    var name: String {
        switch self {
        case .outbox: "outbox"
        case .ndjson(let file): "ndjson=" + file.path
        case .fhir(let url): "fhir=" + url.absoluteString
        case .hub(let connection): "hub=" + connection.hub.absoluteString
        }
    }
}

/// One wake of the synchronisation of a device of the command line.
struct HealthSyncWake {
    private let synchroniser: HealthSynchroniser
    private let lock: FileLock
    /// The device, where it brings data to its study.
    private let reporting: DeviceSession?

    /// Opens the journal and the stores.
    ///
    /// - Parameters:
    ///   - samples: as many samples and deletions are taken at most; nil for the usual bounds.
    ///   - authority: the certificate of a private authority of the servers, in PEM; nil for the enrolment's, if it has one.
    /// - Throws: `file-unreadable` where there is no journal; `consent-required`, `device-not-enrolled` with the outbox;
    ///   `subject-foreign`; what the stores throw.
    init(
        store: String, source: String, targets: [HealthSyncTarget], subject: String?, token: String?,
        samples: Int?, authority: String? = nil
    ) async throws {
        let journalFile = URL(fileURLWithPath: source)
        try FileAccess.require(journalFile)
        let folder = URL(fileURLWithPath: store, isDirectory: true)
        let session: DeviceSession?
        let profile: DeviceSession.Profile?
        if targets.contains(.outbox) {
            let enrolled = try DeviceSession(path: store)
            reporting = enrolled
            (session, profile) = (enrolled, try enrolled.profile())
        } else {
            reporting = nil
            try PosixFiles().makeFolder(folder)
            session = try? DeviceSession(path: store)
            profile = try? session?.profile()
        }
        if let subject, let own = profile?.participant, subject != own {
            throw CommandError("subject-foreign", "This device speaks for its own participant; leave --subject out.")
        }
        guard profile?.withdrawnAt == nil else {
            throw CommandError("consent-withdrawn", "The consent was taken back on this device; nothing is read.")
        }
        let authority = authority ?? session?.enrolment.certificateAuthority
        let followed = session?.followedHealthData ?? StudyHealthData()
        let named = HealthStudy(naming: Set(profile?.includedHealthData ?? [])).inclusions
        var selection = followed.selection(naming: named)
        selection.subject = profile?.participant ?? subject

        let progress = HealthSyncFolder(Self.progress(in: folder))
        lock = try await progress.lock()
        let journal = HealthJournal(journalFile, table: selection.table)
        let survey = try await journal.survey()
        let kept = try await progress.streams()
        var limits = HealthSyncLimits()
        // Who says how many has no other bound but the time; no resource of a journal is larger than its line may be.
        // What is read at once becomes durable at once, and three times as much is in memory: a large wake takes more.
        if let samples {
            limits = HealthSyncLimits(samples: samples, bytes: .max, batch: samples < 100_000 ? 200 : 2_000)
        }
        synchroniser = HealthSynchroniser(
            source: journal, storage: progress,
            settings: HealthSyncSettings(
                selection: selection, version: "tributary \(TributaryVersion.text), \(followed.version)",
                lookBackDays: followed.followed.lookBackDays, limits: limits))

        var met: Set<HealthSyncTarget> = []
        for target in targets where met.insert(target).inserted {
            let streams = kept.filter { $0.store == target.name }
            let types = survey.types.union(streams.map(\.type)).filter { Self.follows($0, selection) }
            switch target {
            case .outbox:
                guard let device = session?.store, let subject = selection.subject else { continue }
                await synchroniser.add(
                    try OutboxHealthStore(device, subject: subject), named: target.name, types: types)
            case .fhir(let url):
                let store = FHIRHealthStore(
                    url, transport: try DeviceSession.transport(authority),
                    token: { _ in try token.map(HealthSyncTarget.line) }, subject: selection.subject)
                await synchroniser.add(store, named: target.name, types: types)
            case .hub(let connection):
                guard let subject = selection.subject else {
                    throw CommandError("subject-missing", "Messages name the patient: say --subject.")
                }
                let store = EventHubHealthStore(
                    connection, transport: try DeviceSession.transport(authority), patient: subject,
                    device: "org.tributary.device.\(subject)")
                await synchroniser.add(store, named: target.name, types: types)
            case .ndjson(let url):
                let file = try await NDJSONHealthStore(url, subject: selection.subject)
                // A file that is new has nothing, whatever one of its name had.
                if await file.isEmpty { for stream in streams { try await progress.erase(stream) } }
                await synchroniser.add(file, named: target.name, types: types)
            }
        }
        if survey.unreadable > 0 {
            CommandOutput.note("Lines of the journal that name no type are left out: \(survey.unreadable).")
        }
        let others = survey.types.filter { !Self.follows($0, selection) }.count
        if others > 0 {
            CommandOutput.note("Types of the journal that are no types of their own, or not asked for: \(others).")
        }
    }

    /// Works on all streams within the bounds of a wake.
    func run() async -> HealthSyncReport {
        let report = await synchroniser.run()
        do { try await reporting?.reportHealthStreams(now: Date()) } catch {
            CommandOutput.note("What the device tells of itself was not queued.")
        }
        withExtendedLifetime(lock) {}
        return report
    }

    /// Whether samples of a type are brought to stores: what the consent must name only where it does. Pressures come with
    /// their blood pressure.
    private static func follows(_ identifier: String, _ selection: HealthSelection) -> Bool {
        guard let type = selection.table.type(identifier), selection.table.correlation(of: type) == nil else {
            return false
        }
        return SpecialKind(type).map(selection.selects) ?? selection.selects(type)
    }

    /// The folder of a device that is there.
    static func folder(of store: String) throws -> URL {
        guard FileManager.default.fileExists(atPath: store) else {
            throw CommandError("device-not-enrolled", "There is no device in \(store); enrol it with `device enrol`.")
        }
        return URL(fileURLWithPath: store, isDirectory: true)
    }

    /// Where a device keeps how far its streams are.
    static func progress(in folder: URL) -> URL { folder.appendingPathComponent("health-sync", isDirectory: true) }
}

extension DeviceSession {
    /// How far the synchronisation of health data is; whoever queues health data holds its lock.
    var healthProgress: HealthSyncFolder { HealthSyncFolder(HealthSyncWake.progress(in: store.folder)) }
}
