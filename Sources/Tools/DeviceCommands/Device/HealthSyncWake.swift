import Core
import DeviceSystem
import Foundation
import HealthData
import HealthStores
import HealthSync
import Outbox
import Storage
import StudyFiles
import Wire

/// The target of `device sync`.
enum HealthSyncTarget: Hashable {
    case outbox
    case ndjson(URL)
    case fhir(URL)
    case hub(EventHubConnection)

    /// Parses a target of `--to`.
    ///
    /// - Throws: ``Wire/WireError`` `event-hub-invalid`; `file-unreadable`. Returns nil for an unknown target.
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
            // A key in an argument is visible in the list of processes.
            let isFile = value.hasPrefix("@")
            let connection = isFile ? try Self.line(of: String(value.dropFirst())) : value
            self = .hub(try EventHubConnection(reading: connection))
        default: return nil
        }
    }

    /// Returns the first line of a file with a secret.
    static func line(of path: String) throws -> String {
        guard let data = try FileAccess.contents(of: URL(fileURLWithPath: path)), data.count <= 65_536,
            let line = String(validUTF8: data)?.split(whereSeparator: \.isNewline).first
        else { throw CommandError("file-unreadable", "The file \(path) cannot be read, or is empty.") }
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// The name of the store. The progress of a file belongs to its path.
    var name: String {
        switch self {
        case .outbox: "outbox"
        case .ndjson(let file): "ndjson=" + file.path
        case .fhir(let url): "fhir=" + url.absoluteString
        case .hub(let connection): "hub=" + connection.hub.absoluteString
        }
    }
}

/// One background launch of the synchronization, for a device of the command line.
struct HealthSyncWake {
    private let synchronizer: HealthSynchronizer
    private let lock: FileLock
    /// The device, if it sends data to its study.
    private let reporting: DeviceSession?

    /// Opens the journal and the stores.
    ///
    /// - Parameters:
    ///   - samples: maximum number of samples and deletions; nil for the default limits.
    ///   - authority: the certificate of a private authority of the servers, in PEM; nil for that of the enrolment.
    /// - Throws: `file-unreadable` if there is no journal; `consent-required`, `device-not-enrolled` with the outbox;
    ///   `subject-foreign`; errors of the stores.
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
            throw CommandError("subject-foreign", "This device has its own participant; leave --subject out.")
        }
        guard profile?.withdrawnAt == nil else {
            throw CommandError("consent-withdrawn", "The consent was withdrawn on this device; nothing is read.")
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
        // A given number replaces the other limits, except the time; a resource of a journal is not larger than its
        // maximum line. Data that is read together becomes durable together and needs three times its size in memory,
        // so a large number uses larger batches.
        if let samples {
            limits = HealthSyncLimits(samples: samples, bytes: .max, batch: samples < 100_000 ? 200 : 2_000)
        }
        synchronizer = HealthSynchronizer(
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
                await synchronizer.add(
                    try OutboxHealthStore(device, subject: subject), named: target.name, types: types)
            case .fhir(let url):
                let store = FHIRHealthStore(
                    url, transport: try DeviceSession.transport(authority),
                    token: { _ in try token.map(HealthSyncTarget.line) }, subject: selection.subject)
                await synchronizer.add(store, named: target.name, types: types)
            case .hub(let connection):
                guard let subject = selection.subject else {
                    throw CommandError("subject-missing", "Messages name the patient: --subject is required.")
                }
                let store = EventHubHealthStore(
                    connection, transport: try DeviceSession.transport(authority), patient: subject,
                    device: "org.tributary.device.\(subject)")
                await synchronizer.add(store, named: target.name, types: types)
            case .ndjson(let url):
                let file = try await NDJSONHealthStore(url, subject: selection.subject)
                // A new file is empty, even if there was an earlier one with its name.
                if await file.isEmpty { for stream in streams { try await progress.erase(stream) } }
                await synchronizer.add(file, named: target.name, types: types)
            }
        }
        if survey.unreadable > 0 {
            CommandOutput.note("Lines of the journal that name no type are left out: \(survey.unreadable).")
        }
        let others = survey.types.filter { !Self.follows($0, selection) }.count
        if others > 0 {
            CommandOutput.note("Types of the journal that are parts of others, or not selected: \(others).")
        }
    }

    /// Processes all streams within the limits.
    func run() async -> HealthSyncReport {
        let report = await synchronizer.run()
        do { try await reporting?.reportHealthStreams(now: Date()) } catch {
            CommandOutput.note("The device's report on itself was not queued.")
        }
        withExtendedLifetime(lock) {}
        return report
    }

    /// Whether samples of a type are sent to stores: types that the consent must name only if it does. Pressures are
    /// sent with their blood pressure.
    private static func follows(_ identifier: String, _ selection: HealthSelection) -> Bool {
        guard let type = selection.table.type(identifier), selection.table.correlation(of: type) == nil else {
            return false
        }
        return SpecialKind(type).map(selection.selects) ?? selection.selects(type)
    }

    /// Returns the folder of an existing device.
    static func folder(of store: String) throws -> URL {
        guard FileManager.default.fileExists(atPath: store) else {
            throw CommandError("device-not-enrolled", "There is no device in \(store); enrol it with `device enrol`.")
        }
        return URL(fileURLWithPath: store, isDirectory: true)
    }

    /// Returns the folder for the progress of a device's streams.
    static func progress(in folder: URL) -> URL { folder.appendingPathComponent("health-sync", isDirectory: true) }
}

extension DeviceSession {
    /// The progress of the synchronization of health data. A process that queues health data holds its lock.
    var healthProgress: HealthSyncFolder { HealthSyncFolder(HealthSyncWake.progress(in: store.folder)) }
}
