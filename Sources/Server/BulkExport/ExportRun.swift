import AccessPolicy
import FHIR
import Foundation
import Storage

/// The run of one export: type by type and page by page, each page filtered by the grant.
struct ExportRun {
    /// The reason that the run ends early.
    enum Stop: Error {
        /// Another server has the export, or it was removed.
        case lost
        case failed(String)
    }

    private let exports: Exports
    private let job: ExportJob
    private let selections: [ExportSelection]
    private let last: Int64
    private var written: Int64
    private var finishedBytes: Int64 = 0
    /// The bytes of other exports.
    private var otherBytes: Int64 = 0
    private var renewed: Date
    /// The owners that the audit already contains, by the hashes of their ids.
    private var recorded: Set<Int> = []
    private var toBeRecorded: Set<String> = []
    private var errors: [String: Int] = [:]

    init(_ job: ExportJob, of exports: Exports) async throws {
        self.exports = exports
        self.job = job
        last = job.lastNumber ?? 0
        renewed = exports.clock()
        let (store, jobs, now) = (exports.store, exports.jobs, renewed)
        let policy = exports.access.audit.policy
        let found = try await exports.database.read { transaction in
            (
                selections: try ExportPlan(job.grant, job.request, policy: policy, at: job.createdAt, now: now)
                    .selections(store, in: transaction),
                files: try jobs.files(of: job.id, in: transaction), bytes: try jobs.bytes(in: transaction)
            )
        }
        selections = found.selections
        // The finished files stay, as long as all of them are complete.
        let isWhole = found.files.allSatisfy { exports.folder.has($0, of: job.id) }
        written = isWhole ? found.files.reduce(0) { $0 + ($1.kind == .output ? $1.count : 0) } : 0
        finishedBytes = isWhole ? found.files.reduce(0) { $0 + $1.bytes } : 0
        otherBytes = max(0, found.bytes - finishedBytes)
        doneThrough = isWhole ? job.doneThrough : nil
        if !isWhole { try await exports.database.write { try jobs.restart(job.id, in: $0) } }
        try exports.folder.make(job: job.id)
        exports.folder.removeFiles(of: job.id, but: isWhole ? Set(found.files.map(\.name)) : [])
    }

    private let doneThrough: String?

    /// Runs the export to its end.
    mutating func finish() async throws {
        try await renew(bytes: finishedBytes)
        for selection in selections where selection.type > doneThrough ?? "" {
            try await export(selection)
        }
        try await exports.end(job, failed: nil)
    }

    // MARK: - A type

    private mutating func export(_ selection: ExportSelection) async throws {
        var files: [BulkExportFile] = []
        // 1. The resources.
        var output = Output(type: selection.type, kind: .output, job: job.id, exports: exports)
        var unreadable: [String] = []
        let pages = ExportPages(selection, through: last, bytes: exports.limits.pageBytes, of: exports.database)
        try await pages.each { page in
            try output.write(page.lines, count: page.count)
            self.written += Int64(page.count)
            unreadable += page.unreadable
            try await record(page.owners, of: selection.type)
            try await check(bytes: finishedBytes + output.bytes)
        }
        files += try output.finish()
        // 2. The deleted resources.
        if selection.since != nil { files += try await deletions(selection) }
        // 3. The unreadable resources.
        if !unreadable.isEmpty {
            var errors = Output(type: "OperationOutcome", kind: .error, job: job.id, exports: exports)
            errors.prefix = selection.type + "."
            for id in unreadable {
                let outcome = OperationOutcome(
                    code: .exception, detail: "record-damaged",
                    diagnostics: "\(selection.type)/\(id) could not be read; the study's team can restore it.")
                try errors.write(outcome.json.bytes() + [0x0A], count: 1)
            }
            files += try errors.finish()
        }
        try await recordAll(of: selection.type)
        // 4. The progress.
        finishedBytes += files.reduce(0) { $0 + $1.bytes }
        let (jobs, id, made) = (exports.jobs, job.id, files)
        try await renew(bytes: finishedBytes) { transaction in
            try jobs.finish(type: selection.type, of: id, files: made, in: transaction)
        }
    }

    private mutating func deletions(_ selection: ExportSelection) async throws -> [BulkExportFile] {
        var output = Output(type: FHIR.Bundle.resourceType, kind: .deleted, job: job.id, exports: exports)
        output.prefix = selection.type + ".deleted."
        var cursor: (time: Int64, number: Int64) = (selection.since.map { $0 - 1 } ?? 0, .max)
        let until = Milliseconds.of(job.createdAt)
        let among: Set<String>? = if case .only(let ids) = selection.patients { Set(ids) } else { nil }
        while true {
            let (store, from) = (exports.store, cursor)
            let found = try await exports.database.read { transaction in
                try store.deletions(of: selection, after: from, until: until, limit: 500, in: transaction)
            }
            guard let end = found.last else { break }
            cursor = (end.time, end.number)
            let shown = found.filter { row in among.map { !row.owners.isDisjoint(with: $0) } ?? true }
            if !shown.isEmpty {
                var bundle = FHIR.Bundle(type: .transaction)
                bundle.entry = shown.map { row in
                    var entry = FHIR.Bundle.Entry()
                    entry.request = FHIR.Bundle.Entry.Request(method: .delete, url: "\(selection.type)/\(row.id)")
                    return entry
                }
                try output.write(bundle.json.bytes() + [0x0A], count: 1)
                try await record(shown.reduce(into: []) { $0.formUnion($1.owners) }, of: selection.type)
            }
            try await check(bytes: finishedBytes + output.bytes)
            guard found.count == 500 else { break }
        }
        return try output.finish()
    }

    // MARK: - Limits

    /// Checks the limits, and from time to time whether the run may continue.
    private mutating func check(bytes: Int64) async throws {
        try _Concurrency.Task.checkCancellation()
        guard bytes + otherBytes <= exports.limits.bytes else { throw Stop.failed("export-too-large") }
        let now = exports.clock()
        guard now < job.createdAt.addingTimeInterval(exports.limits.worksFor) else {
            throw Stop.failed("export-too-long")
        }
        let since = now.timeIntervalSince(renewed)
        if since < 0 || since > exports.limits.lease / 10 { try await renew(bytes: bytes) }
    }

    /// Extends the lease, if this server still has it and the grant is not revoked.
    ///
    /// - Parameter body: writes the progress in the same transaction.
    private mutating func renew(
        bytes: Int64, _ body: @escaping @Sendable (any SQLTransaction) throws -> Void = { _ in }
    ) async throws {
        let (jobs, access, job, folder) = (exports.jobs, exports.access, job, exports.folder.id)
        let (written, now) = (written, exports.clock())
        let isOurs = try await exports.database.write { transaction in
            guard try !access.tokens.isRevoked(job.grant, in: transaction) else {
                try jobs.remove(job.id, in: transaction)
                return false
            }
            guard try jobs.renew(job.id, in: folder, written: written, bytes: bytes, at: now, in: transaction) else {
                return false
            }
            try body(transaction)
            return true
        }
        guard isOurs else { throw Stop.lost }
        renewed = now
    }

    // MARK: - The audit

    /// Records owners in the audit. No resource is exported without an audit row, which names its owners.
    private mutating func record(_ owners: Set<String>, of type: String) async throws {
        for owner in owners where recorded.insert(owner.hashValue).inserted { toBeRecorded.insert(owner) }
        if toBeRecorded.count >= 500 { try await recordAll(of: type) }
    }

    private mutating func recordAll(of type: String) async throws {
        guard !toBeRecorded.isEmpty else { return }
        try await exports.access.audit.record(
            RecordDecision.permitted.decision, by: job.grant.actor, action: .exportRecords,
            target: Target(resourceType: type),
            showing: toBeRecorded)
        toBeRecorded = []
    }
}

/// The files of one type; a large file is followed by another.
private struct Output {
    let type: String
    let kind: BulkExportFile.Kind
    let job: String
    let exports: Exports
    /// The prefix of the type in the files' names.
    var prefix = ""
    private var files: [BulkExportFile] = []
    private var current: (file: BulkExportFile, writer: ExportFileWriter)?

    init(type: String, kind: BulkExportFile.Kind, job: String, exports: Exports) {
        self.type = type
        self.kind = kind
        self.job = job
        self.exports = exports
    }

    var bytes: Int64 { files.reduce(0) { $0 + $1.bytes } + (current?.file.bytes ?? 0) }

    mutating func write(_ lines: [UInt8], count: Int) throws {
        guard count > 0 else { return }
        if current == nil {
            let name = "\(prefix)\(type).\(files.count + 1).ndjson"
            current = (
                BulkExportFile(name: name, kind: kind, type: type),
                try ExportFileWriter(exports.folder.path(name, of: job))
            )
        }
        try current?.writer.write(lines)
        current?.file.count += Int64(count)
        current?.file.bytes += Int64(lines.count)
        if let current, current.file.bytes >= Int64(exports.limits.fileBytes) { try end(current) }
    }

    mutating func finish() throws -> [BulkExportFile] {
        if let current { try end(current) }
        return files
    }

    private mutating func end(_ open: (file: BulkExportFile, writer: ExportFileWriter)) throws {
        try open.writer.finish()
        files.append(open.file)
        current = nil
    }
}
