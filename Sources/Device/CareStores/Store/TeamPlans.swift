import AccountClient
import CarePlans
import Core
import DeviceSystem
import Foundation

/// The copies of the care plans of a team's patients: one for each patient whom the account may see.
///
/// ```swift
/// try await TeamPlans(client: client).pull { report in
///     for failure in report.failed { show(failure.patient, failure.code) }
/// }
/// ```
public struct TeamPlans: Sendable {
    /// A patient whose plan was not updated.
    public struct Failure: Sendable, Hashable {
        /// The id of the patient's account.
        public let patient: String
        /// The stable code of the error.
        public let code: String
    }

    /// The result of a pull.
    public struct Report: Sendable, Hashable {
        /// The patients who entered, changed and left.
        public let changes: PatientChanges
        /// The patients whose plan is as the server has it now.
        public let updated: [String]
        /// The patients whose plan was not updated. The next pull tries again.
        public let failed: [Failure]

        /// `{entered,changed,left,failed}`.
        public var json: JSON {
            var json = changes.json
            json["failed"] = .array(
                failed.map { ["patient": .string($0.patient), "code": .string($0.code)] })
            return json
        }
    }

    /// Maximum number of plans that are read concurrently.
    private static let concurrency = 4

    private let client: AccountClient
    private let folder: URL
    private let files: any DurableFiles
    private let patience: Double

    /// Creates the copies of an account. It sends nothing.
    ///
    /// - Parameters:
    ///   - client: the account of the team's member.
    ///   - folder: the folder of the copies; nil for that of the account, which a logout removes.
    ///   - files: the file system.
    ///   - patience: seconds to wait for another process that has opened a copy.
    public init(
        client: AccountClient, folder: URL? = nil, files: any DurableFiles = PosixFiles(), patience: Double = 2
    ) {
        self.client = client
        self.folder = folder ?? client.plansFolder
        self.files = files
        self.patience = patience
    }

    /// Opens the copy of a patient's plan; an empty one if there is none.
    public func store(of patient: String) async throws -> CarePlanStore {
        let server = AccountCareServer(client: client, patient: patient)
        return try await CarePlanStore(
            patient: patient, folder: folder, server: server, files: files, patience: patience)
    }

    /// Reads which patients entered, changed and left since the last pull; updates the copies of their plans, and sends
    /// changes that were made to them on this device; removes the copies of patients who left.
    ///
    /// If a patient fails, the others are still updated. If the process ends before the end, the next pull has the same
    /// changes again.
    ///
    /// - Parameter apply: receives the result before the cursor becomes durable.
    /// - Throws: as `AccountClient.pullPatients(_:)`; storage errors of the folder.
    public func pull(_ apply: @escaping @Sendable (Report) throws -> Void) async throws {
        try await client.pullPatients { changes in
            let report = try await update(changes)
            try apply(report)
        }
    }

    private func update(_ changes: PatientChanges) async throws -> Report {
        try files.makeFolder(folder)
        // 1. Patients who left. A copy that is open elsewhere is removed by a later pull.
        let former = try failures()
        var failed: [Failure] = []
        for patient in Set(changes.left).union(former.left).sorted() {
            do {
                try await CarePlanStore.removeCopy(of: patient, in: folder, files: files, patience: patience)
            } catch let error as any CodedError {
                failed.append(Failure(patient: patient, code: error.code))
            }
        }
        let stillLeft = failed.map(\.patient)
        // 2. Patients with news, and those of former failures. The next pull repeats what has failed now.
        let wanted = Set(changes.entered).union(changes.changed).union(former.patients).subtracting(changes.left)
        var updated: [String] = []
        await withTaskGroup(of: (String, String?).self) { group in
            var rest = wanted.sorted()[...]
            for _ in 0..<Self.concurrency {
                guard let patient = rest.popFirst() else { break }
                group.addTask { (patient, await failure(of: patient)) }
            }
            while let (patient, code) = await group.next() {
                if let code {
                    failed.append(Failure(patient: patient, code: code))
                } else {
                    updated.append(patient)
                }
                if let next = rest.popFirst() { group.addTask { (next, await failure(of: next)) } }
            }
        }
        failed.sort { $0.patient < $1.patient }
        try save(failed.map(\.patient).filter { !stillLeft.contains($0) }, left: stillLeft)
        try Task.checkCancellation()
        return Report(changes: changes, updated: updated.sorted(), failed: failed)
    }

    /// Updates one copy. Returns the code of the error; nil for none.
    private func failure(of patient: String) async -> String? {
        do {
            let store = try await store(of: patient)
            let report = try await store.sync()
            guard report.unsent > 0 else { return Optional<String>.none }
            return await store.quarantine.first?.code ?? "not-sent"
        } catch let error as any CodedError {
            return error.code
        } catch {
            return "cancelled"
        }
    }

    // MARK: - Failures of the last pull

    private var failuresFile: URL { folder.appendingPathComponent("failures.json") }

    private func failures() throws -> (patients: [String], left: [String]) {
        guard let json = try files.content(of: failuresFile).flatMap({ JSON(reading: $0) }) else { return ([], []) }
        func ids(_ name: String) -> [String] { (json[name]?.array ?? []).compactMap(\.string) }
        return (ids("patients"), ids("left"))
    }

    private func save(_ patients: [String], left: [String]) throws {
        func array(_ ids: [String]) -> JSON { .array(ids.map { .string($0) }) }
        let json: JSON = ["patients": array(patients), "left": array(left)]
        try AtomicFile.write(json.data(), to: failuresFile, files: files)
    }
}
