import Foundation
import Storage

/// The result of a check of the audit's seals.
package struct AuditVerification: Sendable, Hashable {
    /// A restoration of a backup.
    package struct Restoration: Sendable, Hashable {
        /// Number of its seal.
        package let seal: Int64
        /// Number of the last sealed row of the backup.
        package let lastRow: Int64
        /// Time in the form of ``Storage/SQLTimestamp``.
        package let at: String
    }

    /// Rows that are not what was sealed.
    package struct Broken: Sendable, Hashable {
        /// Number of the first row.
        package let from: Int64
        /// Number of the last row.
        package let to: Int64
        package let why: Reason
    }

    /// Reason why rows are broken.
    package enum Reason: String, Sendable, CaseIterable {
        case rowsChanged = "rows-changed"
        case sealChanged = "seal-changed"
        case sealMissing = "seal-missing"
        case idRemoved = "id-removed"
        case rowBeforeFirst = "row-before-first"
        case headUnknown = "head-unknown"
        case endMissing = "end-missing"

        /// Sentence for users.
        package var message: String {
            switch self {
            case .rowsChanged: "A row was changed, removed or inserted."
            case .sealChanged: "A seal was changed."
            case .sealMissing: "A seal is missing."
            case .idRemoved: "The id of a resource was changed or removed, although its participant is not deleted."
            case .rowBeforeFirst: "There is a row with a number below 1."
            case .headUnknown: "A head that was written before is not that of its seal: the rows were replaced."
            case .endMissing: "A head that was written before is missing: the end of the audit was removed."
            }
        }
    }

    /// Number of sealed rows.
    package var rows: Int64 = 0
    /// Number of rows that no seal covers yet.
    package var unsealed: Int64 = 0
    /// Head of the newest seal.
    package var head = AuditSeal.origin
    package var restored: [Restoration] = []
    /// The first broken rows; nil if there are none.
    package var broken: Broken?
}

/// Checks the seals of the audit, the rows that they cover, and heads that were written elsewhere.
package struct AuditVerifier: Sendable {
    /// Seals of one read. The rows of a seal never change, so that several reads see the same.
    private static let sealsPerRead = 8

    let database: any SQLDatabase

    /// - Parameter database: the records' store.
    package init(database: any SQLDatabase) { self.database = database }

    /// Checks everything, up to the first broken rows. Reads a bounded number of rows at a time.
    ///
    /// - Parameters:
    ///   - anchors: heads that were written elsewhere. One that is newer than the store is an error unless a
    ///     restoration after it explains it.
    ///   - head: a head without number and time, in lowercase hexadecimal. A seal or an anchor must have it.
    /// - Throws: ``Storage/StorageError``.
    package func verify(anchors: [AuditAnchor] = [], head: String? = nil) async throws -> AuditVerification {
        var state = VerifierState(anchors: anchors, head: head)
        while !state.isAtEnd, state.result.broken == nil {
            let current = state
            state = try await database.read { transaction in
                var state = current
                try state.step(seals: Self.sealsPerRead, in: transaction)
                return state
            }
        }
        state.checkAnchors()
        return state.result
    }
}

/// The progress of a verification.
struct VerifierState: Sendable {
    var result = AuditVerification()
    var isAtEnd = false
    private var last: AuditSeal?
    /// The heads by the numbers of their seals; those that were found are removed.
    private var anchors: [Int64: Set<AuditAnchor>]
    /// Rows of seals that have another head than an anchor.
    private var replaced: [AuditAnchor: (from: Int64, to: Int64)] = [:]

    /// The head that no seal has had yet.
    private var head: String?

    init(anchors: [AuditAnchor], head: String?) {
        self.head = head
        if anchors.contains(where: { $0.head == head }) { self.head = nil }
        self.anchors = Dictionary(grouping: anchors, by: \.seal).mapValues(Set.init)
    }

    mutating func step(seals count: Int, in transaction: any SQLTransaction) throws {
        if last == nil, try hasRowsBeforeFirst(transaction) {
            return fail(from: 0, to: 0, .rowBeforeFirst)
        }
        let rows = try transaction.query(Self.sealsSQL, [SQLValue(last?.number ?? 0), SQLValue(count)])
        for row in rows {
            let first = (last?.lastRow ?? 0) + 1
            guard let seal = try? AuditSeal(row) else { return fail(from: first, to: first, .sealChanged) }
            guard seal.number == (last?.number ?? 0) + 1 else { return fail(from: first, to: first, .sealMissing) }
            try check(seal, from: first, in: transaction)
            guard result.broken == nil else { return }
            last = seal
        }
        guard rows.count < count else { return }
        isAtEnd = true
        result.unsealed =
            try transaction.first(Self.unsealedSQL, [SQLValue(last?.lastRow ?? 0)])?.integer("rows") ?? 0
    }

    private mutating func check(_ seal: AuditSeal, from first: Int64, in transaction: any SQLTransaction) throws {
        let end = max(first, seal.lastRow)
        guard seal.previous == last?.head ?? AuditSeal.origin, seal.firstRow == first, seal.lastRow >= first - 1,
            seal.kind == .rows || seal.lastRow == first - 1, seal.at >= last?.at ?? ""
        else { return fail(from: first, to: first, .sealChanged) }
        let found = try SealedRow.rows(
            from: first, to: seal.lastRow, limit: AuditSealer.maximumRows, in: transaction)
        guard let found, seal.covers(found) else { return fail(from: first, to: end, .rowsChanged) }
        for row in found {
            guard row.isIDValid, try isRemovalValid(of: row, in: transaction) else {
                return fail(from: row.number, to: row.number, .idRemoved)
            }
        }
        if seal.kind == .restored {
            result.restored.append(.init(seal: seal.number, lastRow: seal.lastRow, at: seal.at))
        }
        result.rows += seal.amount
        result.head = seal.head
        if seal.head == head { head = nil }
        for anchor in anchors.removeValue(forKey: seal.number) ?? [] where anchor.head != seal.head {
            replaced[anchor] = (first, end)
        }
    }

    /// Whether a missing id is that of a deleted participant.
    private func isRemovalValid(of row: SealedRow, in transaction: any SQLTransaction) throws -> Bool {
        switch row.removed {
        case nil: true
        case .aboutNoOne: false
        case .about(let pseudonym): try transaction.first(Self.resolvedSQL, [SQLValue(pseudonym)]) == nil
        }
    }

    private func hasRowsBeforeFirst(_ transaction: any SQLTransaction) throws -> Bool {
        for table in ["audit", "audit_participant", "audit_seal"] {
            let sql = "SELECT number FROM \(table) WHERE number < 1 LIMIT 1"
            if try transaction.first(sql) != nil { return true }
        }
        return false
    }

    /// Compares the heads that were written elsewhere, if everything else is valid.
    mutating func checkAnchors() {
        guard result.broken == nil else { return }
        let (restored, lastRow) = (result.restored, last?.lastRow ?? 0)
        func isExplained(_ anchor: AuditAnchor) -> Bool {
            restored.contains { $0.seal <= anchor.seal && anchor.at <= $0.at }
        }
        let wrong = replaced.filter { !isExplained($0.key) }.min { $0.value.from < $1.value.from }
        if let wrong { return fail(from: wrong.value.from, to: wrong.value.to, .headUnknown) }
        let missing = anchors.values.joined().filter { !isExplained($0) }.map(\.lastRow)
        if let end = missing.max() { return fail(from: lastRow + 1, to: max(lastRow + 1, end), .endMissing) }
        // Nothing is known about the time of a head without a seal.
        if head != nil { fail(from: 1, to: max(1, lastRow), .headUnknown) }
    }

    private mutating func fail(from: Int64, to: Int64, _ why: AuditVerification.Reason) {
        result.broken = .init(from: from, to: to, why: why)
    }

    /// Parameters: number of the last seal before them, maximum number.
    static let sealsSQL = "SELECT * FROM audit_seal WHERE number > ? ORDER BY number LIMIT ?"
    /// Parameter: number of the last sealed row.
    static let unsealedSQL = "SELECT count(*) AS rows FROM audit WHERE number > ?"
    /// Parameter: pseudonym.
    static let resolvedSQL = "SELECT participant FROM participant_pseudonym WHERE pseudonym = ?"
}
