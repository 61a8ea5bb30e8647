import FHIR
import FHIRSearch
import Foundation
import RecordStorage
import Storage

/// A page of an export's resources, as lines of JSON.
package struct ExportPage: Sendable {
    var lines: [UInt8] = []
    var count = 0
    /// The owners of the resources.
    var owners: Set<String> = []
    /// The ids of unreadable resources, which are not in the lines.
    var unreadable: [String] = []
    /// The cursor of the next page; nil at the end.
    var next: ExportStatement.Cursor?
}

extension RecordStore {
    /// Returns the next page of an export.
    ///
    /// A page ends when its lines reach a number of bytes, so that its memory does not depend on the resources.
    ///
    /// - Parameters:
    ///   - last: the largest number of a record at the start of the export.
    ///   - bytes: the size at which a page ends.
    package func page(
        of selection: ExportSelection, after cursor: ExportStatement.Cursor, through last: Int64, bytes: Int,
        in transaction: any SQLTransaction
    ) throws -> ExportPage {
        var reading = try ExportReading(selection, through: last, bytes: bytes, in: transaction)
        switch selection.patientsRead {
        case .everything, .anyPatient: try reading.readAll(after: cursor, in: transaction)
        case .only(let patients): try reading.read(of: patients, after: cursor, in: transaction)
        }
        return reading.page
    }

    /// Returns the deleted resources of a type, as ids with their owners.
    ///
    /// - Parameter after: the time and the number of the last one of the previous page.
    package func deletions(
        of selection: ExportSelection, after: (time: Int64, number: Int64), until: Int64, limit: Int,
        in transaction: any SQLTransaction
    ) throws -> [(id: String, owners: Set<String>, time: Int64, number: Int64)] {
        let condition = try selection.condition(isDeleted: true, in: transaction)
        return try transaction.query(
            ExportStatement.deleted(condition.sql),
            condition.parameters + [
                SQLValue(after.time), SQLValue(after.number), SQLValue(until), SQLValue(limit),
            ]
        ).map { row in
            let number = try row.integer("number")
            let owners = try RecordProtection.facts(
                number: number, type: selection.type, subject: row.textIfPresent("subject"), in: transaction
            ).owners
            return (try row.text("id"), owners, try row.integer("updated_ms"), number)
        }
    }
}

/// The state of reading one page.
private struct ExportReading {
    /// Stops the reading when the page is full.
    private struct Full: Error {}

    private let selection: ExportSelection
    private let condition: SQLFragment
    private let last: Int64
    private let bytes: Int
    private(set) var page = ExportPage()
    private var lastSubject = ""

    /// Maximum number of rows whose sizes are read before a page, where the engine returns many rows at a time.
    private static let maximumRows = 4096
    /// Maximum number of patients in a page.
    private static let maximumPatients = 256

    init(_ selection: ExportSelection, through last: Int64, bytes: Int, in transaction: any SQLTransaction) throws {
        self.selection = selection
        condition = try selection.condition(isDeleted: false, in: transaction)
        self.last = last
        self.bytes = bytes
        page.lines.reserveCapacity(bytes + bytes / 8)
    }

    mutating func readAll(after cursor: ExportStatement.Cursor, in transaction: any SQLTransaction) throws {
        let number = SQLValue(cursor.number)
        let stop = try read(
            ExportStatement.all(condition.sql), [number, number], in: transaction
        ) { _ in true }
        page.next = stop.map { ExportStatement.Cursor(number: $0) }
    }

    mutating func read(
        of patients: [String], after cursor: ExportStatement.Cursor, in transaction: any SQLTransaction
    ) throws {
        let end = min(patients.count, cursor.patient + Self.maximumPatients)
        let among = Set(patients)
        for patient in cursor.patient..<max(end, cursor.patient) {
            let id = patients[patient]
            let first = patient == cursor.patient ? cursor : ExportStatement.Cursor(patient: patient)
            // A patient's own resources come first. A resource of several patients is exported with the first of them.
            for isShared in [false, true] where isShared || !first.isShared {
                let sql = (isShared ? ExportStatement.shared : ExportStatement.own)(condition.sql)
                let number = isShared == first.isShared ? first.number : 0
                let stop = try read(sql, [SQLValue(id), SQLValue(number)], in: transaction) { owners in
                    owners.intersection(among).min() == id
                }
                if let stop {
                    page.next = ExportStatement.Cursor(patient: patient, isShared: isShared, number: stop)
                    return
                }
            }
        }
        if end < patients.count { page.next = ExportStatement.Cursor(patient: end) }
    }

    /// Reads rows until the page is full.
    ///
    /// - Parameter isWanted: decides about resources of several owners.
    /// - Returns: the number of the last row read, where more rows may follow.
    private mutating func read(
        _ sql: String, _ cursor: [SQLValue], in transaction: any SQLTransaction,
        where isWanted: (Set<String>) -> Bool
    ) throws -> Int64? {
        var limit = last
        var isCut = false
        if transaction.dialect == .postgresql {
            let rows = try transaction.query(
                ExportStatement.sizes(sql),
                condition.parameters + cursor + [SQLValue(last), SQLValue(Self.maximumRows)])
            guard let end = rows.last else { return nil }
            var size: Int64 = 0
            limit = try end.integer("number")
            isCut = rows.count == Self.maximumRows
            for row in rows {
                size += try row.integer("size")
                guard size > Int64(bytes) else { continue }
                (limit, isCut) = (try row.integer("number"), true)
                break
            }
        }
        var number: Int64 = 0
        do {
            try transaction.each(sql, condition.parameters + cursor + [SQLValue(limit)]) { row in
                let row = try ExportStatement.Row(row)
                number = row.number
                try add(row, in: transaction, where: isWanted)
                if page.lines.count >= bytes { throw Full() }
            }
        } catch is Full {
            return number
        }
        return isCut ? limit : nil
    }

    private mutating func add(
        _ row: ExportStatement.Row, in transaction: any SQLTransaction, where isWanted: (Set<String>) -> Bool
    ) throws {
        // 1. The owners.
        if let subject = row.subject {
            if subject != lastSubject {
                page.owners.insert(subject)
                lastSubject = subject
            }
        } else {
            let owners = try RecordProtection.facts(
                number: row.number, type: selection.type, subject: nil, in: transaction
            ).owners
            guard isWanted(owners) else { return }
            page.owners.formUnion(owners)
        }
        // 2. The content.
        let line = ResourceLine(
            type: selection.type, id: row.id, version: row.version, stored: row.stored)
        do {
            let content = try ContentCodec.content(row.content, in: transaction)
            let isChanged = !selection.base.isEmpty && AttachmentAddress.mayBeRelative(in: content)
            if isChanged || selection.elements != nil {
                var resource = try line.resource(content)
                if isChanged { resource = AttachmentAddress(base: selection.base).absolute(resource) }
                (selection.elements?.subset(of: resource) ?? resource).json.write(to: &page.lines)
            } else {
                try line.append(content, to: &page.lines)
            }
            page.lines.append(0x0A)
            page.count += 1
        } catch is ResourceError {
            page.unreadable.append(line.id)
        } catch let error as StorageError where error.code == "storage-corrupt" {
            page.unreadable.append(line.id)
        }
    }
}
