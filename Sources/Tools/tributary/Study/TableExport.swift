import AccessPolicy
import Admission
import Audit
import BulkExport
import DeviceCommands
import FHIR
import Foundation
import RecordStorage
import Storage
import StudyFiles
import StudyOperations
import Warehouse

/// Writes a study's participants, responses and Observations as CSV, with a codebook. Only a page of resources is in
/// memory at a time. After an error the caller deletes the folder with its unfinished files.
struct TableExport {
    static let codebookFile = "codebook.csv"
    private static let responsesPrefix = "responses-"
    private static let types = [QuestionnaireResponse.resourceType, Observation.resourceType]

    private let database: any SQLDatabase
    private let tables: ResponseTables
    private let names: [String]
    private let folder: URL
    private let audit: AuditLog
    /// The participants whose data is exported.
    private let counted: Set<String>

    /// Whether an export writes a file of this name.
    static func isOwn(_ name: String) -> Bool {
        [codebookFile, ParticipantTable.file, ObservationTable.file].contains(name)
            || name.hasPrefix(responsesPrefix) && name.hasSuffix(".csv")
    }

    /// - Parameters:
    ///   - selection: the participants whose data may be exported.
    ///   - listed: the only participants; nil for all.
    ///   - output: an existing folder without these files.
    init(
        of study: StudyFolder, database: any SQLDatabase, selection: CountedParticipants, listed: [String]?,
        to output: URL
    ) async throws {
        self.database = database
        folder = output
        audit = AuditLog(database: database, clock: { Date() })
        let former = try await FormerForms.read(from: database).all
        let sets = PublishedValueSets(study.valueSets())
        tables = ResponseTables(published: study.questionnaires(), former: former, valueSet: sets.valueSet)
        names = Self.names(of: tables)
        let all = try await database.read { try WarehouseQuery().participants(among: selection.patients, in: $0) }
        counted = listed.map { all.intersection($0) } ?? all
    }

    private static func names(of tables: ResponseTables) -> [String] {
        var taken: Set<String> = []
        return tables.entries.map { entry in
            let last = entry.table.form.map { String($0.split(separator: "/").last ?? "") } ?? "other"
            let slug = MeasurementFiles.slug(last)
            var (name, number) = (responsesPrefix + slug + ".csv", 2)
            while !taken.insert(name).inserted {
                name = "\(responsesPrefix)\(slug)-\(number).csv"
                number += 1
            }
            return name
        }
    }

    /// Writes all files.
    ///
    /// - Returns: the number of rows of each file, without the header.
    func run() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        counts[ParticipantTable.file] = try await writeParticipants()
        let export = try await RecordExport(database: database, types: Set(Self.types), at: Date())
        counts[ObservationTable.file] = try await writeObservations(export)
        counts.merge(try await writeResponses(export)) { $1 }
        var rows = ParticipantTable.codebook + ObservationTable.codebook
        for (entry, name) in zip(tables.entries, names) where counts[name] != nil {
            rows += entry.table.codebook(file: name)
        }
        let codebook = rows
        try write(Self.codebookFile, columns: CodebookRow.columns) { file in
            for row in codebook { try file.write(cells: row.cells) }
        }
        counts[Self.codebookFile] = codebook.count
        return counts
    }

    // MARK: - Files

    private func write(_ name: String, columns: [String], _ body: (OutputFile) throws -> Void) throws {
        let file = try file(name, columns: columns)
        try body(file)
        try file.finish()
    }

    private func file(_ name: String, columns: [String]) throws -> OutputFile {
        let file = try OutputFile(path: folder.appendingPathComponent(name).path)
        try file.write(cells: columns.map { .text($0) })
        return file
    }

    /// Number of participants that one transaction reads.
    private static let page = 200

    private func writeParticipants() async throws -> Int {
        let ids = counted.sorted()
        try await audit.recordExport(of: Patient.resourceType, showing: counted)
        let file = try file(ParticipantTable.file, columns: ParticipantTable.columns)
        for begin in stride(from: 0, to: ids.count, by: Self.page) {
            let part = Array(ids[begin..<min(begin + Self.page, ids.count)])
            let rows = try await database.read { transaction in
                try part.map { id in
                    var patient: Resource?
                    if let record = try RecordStore().read(type: Patient.resourceType, id: id, in: transaction),
                        !record.isDeleted
                    {
                        patient = try record.resource()
                    }
                    let consent = try ConsentRegister().state(of: id, in: transaction)
                    return ParticipantTable.row(of: id, patient: patient, consent: consent)
                }
            }
            for row in rows { try file.write(cells: row) }
        }
        try file.finish()
        return ids.count
    }

    private func writeObservations(_ export: RecordExport) async throws -> Int {
        let file = try file(ObservationTable.file, columns: ObservationTable.columns)
        var count = 0
        try await each(Observation.resourceType, of: export) { resource, participant in
            for row in ObservationTable.rows(of: resource, participant: participant) {
                try file.write(cells: row)
                count += 1
            }
        }
        try file.finish()
        return count
    }

    private func writeResponses(_ export: RecordExport) async throws -> [String: Int] {
        var files: [Int: OutputFile] = [:]
        var counts: [String: Int] = [:]
        func open(_ index: Int) throws -> OutputFile {
            if let file = files[index] { return file }
            let file = try file(names[index], columns: tables.entries[index].table.columns)
            (files[index], counts[names[index]]) = (file, 0)
            return file
        }
        // A published form has a table without responses too.
        for (index, entry) in tables.entries.enumerated() where entry.isPublished { _ = try open(index) }
        try await each(QuestionnaireResponse.resourceType, of: export) { resource, participant in
            let index = tables.index(of: resource)
            let row = tables.entries[index].table.row(of: resource, participant: participant)
            try open(index).write(cells: row)
            counts[names[index], default: 0] += 1
        }
        for file in files.values { try file.finish() }
        return counts
    }

    /// Calls the closure with each resource of a type that belongs to one exported participant. The audit records the
    /// participants before their data is written.
    private func each(
        _ type: String, of export: RecordExport, _ body: (Resource, _ participant: String) throws -> Void
    ) async throws {
        var recorded: Set<String> = []
        var isFirst = true
        try await export.each(ofType: type) { page in
            if let id = page.unreadable.first {
                throw CommandError(
                    "record-damaged", "\(type)/\(id) cannot be read; restore the records from a backup.")
            }
            let owned: [(resource: Resource, participant: String)] = try page.lines.split(separator: 0x0A).compactMap {
                let resource = try Resource($0, lenient: true)
                guard let owner = resource.owners.one, counted.contains(owner) else { return nil }
                return (resource, owner)
            }
            let new = Set(owned.map(\.participant)).subtracting(recorded)
            recorded.formUnion(new)
            if !new.isEmpty || isFirst { try await audit.recordExport(of: type, showing: new) }
            isFirst = false
            for (resource, participant) in owned { try body(resource, participant) }
        }
    }
}

extension OutputFile {
    /// Appends the cells as a line of CSV (RFC 4180).
    fileprivate func write(cells: [TableCell]) throws {
        try write(line: { CSVLine.write(cells.map(\.written), to: &$0) })
    }
}
