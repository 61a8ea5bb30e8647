import Foundation
import Storage

/// Reads rows of the audit in a transaction of the caller.
package struct AuditReader: Sendable {
    /// Maximum number of shown participants of one row.
    package static let maximumShown = 1_000
    /// Number of shown participants after which a page ends.
    private static let shownPerPage = 10_000
    /// Maximum number of rows about a participant that one page looks at.
    private static let examinedPerPage = 10_000

    package init() {}

    /// Returns a row by its number; nil if there is none.
    ///
    /// - Parameter participant: the row must be about this participant; nil for any row.
    package func event(
        number: Int64, about participant: String?, in transaction: any SQLTransaction
    ) throws -> AuditedEvent? {
        guard let row = try transaction.first(Self.rowSQL, [SQLValue(number)]) else { return nil }
        if let participant {
            guard let pseudonym = try pseudonym(of: participant, in: transaction) else { return nil }
            guard
                try row.textIfPresent("subject") == pseudonym
                    || transaction.first(Self.isShownSQL, [SQLValue(pseudonym), SQLValue(number)]) != nil
            else { return nil }
        }
        return try event(row, in: transaction)
    }

    /// Returns a page.
    ///
    /// - Parameter count: maximum number of rows.
    package func page(_ query: AuditQuery, count: Int, in transaction: any SQLTransaction) throws -> AuditPage {
        guard query.participant == nil else { return try pageOfParticipant(query, count: count, in: transaction) }
        let rows = try rows(query, limit: count + 1, in: transaction)
        return try page(of: rows.prefix(count), hasMore: rows.count > count, in: transaction)
    }

    // MARK: - Rows in the order of time

    private func rows(_ query: AuditQuery, limit: Int, in transaction: any SQLTransaction) throws -> [SQLRow] {
        let columns = query.agent == nil ? [nil] : ["actor_id", "client"]
        var found: [Int64: SQLRow] = [:]
        for column in columns {
            let own = query.agent.map { [SQLValue($0)] } ?? []
            for row in try transaction.query(
                Self.rowsSQL(by: column, from: query.from != nil), own + Self.bounds(of: query) + [SQLValue(limit)])
            {
                found[try row.integer("number")] = row
            }
        }
        let ordered = try found.values.map { (at: try $0.text("at"), number: try $0.integer("number"), row: $0) }
            .sorted { ($0.at, $0.number) > ($1.at, $1.number) }
        return ordered.prefix(limit).map(\.row)
    }

    /// Returns the position of the page, or the end of the time if that is earlier, and the start of the time.
    private static func bounds(of query: AuditQuery) -> [SQLValue] {
        var position = query.position
        if let before = query.before, before <= position.at { position = .init(at: before, number: 0) }
        return [SQLValue(position.at), SQLValue(position.number)] + (query.from.map { [SQLValue($0)] } ?? [])
    }

    /// Parameters: the agent if there is a column, time and number before which the rows are, the first time if there is
    /// one, maximum number of rows.
    static func rowsSQL(by column: String?, from isBounded: Bool) -> String {
        """
        SELECT * FROM audit WHERE \(column.map { "\($0) = ? AND " } ?? "")(at, number) < (?, ?)\
        \(isBounded ? " AND at >= ?" : "") ORDER BY at DESC, number DESC LIMIT ?
        """
    }

    // MARK: - Rows about a participant

    private func pageOfParticipant(
        _ query: AuditQuery, count: Int, in transaction: any SQLTransaction
    ) throws -> AuditPage {
        guard let participant = query.participant, let pseudonym = try pseudonym(of: participant, in: transaction)
        else {
            return .empty
        }
        var found: [SQLRow] = []
        var (last, examined, isAtEnd) = (query.position.number, 0, false)
        // Rows outside of the time or of other agents are read too, up to a limit.
        while found.count <= count, examined < Self.examinedPerPage, !isAtEnd {
            let limit = count + 1
            let own = SQLValue(pseudonym)
            var numbers = Set<Int64>()
            for sql in [Self.numbersSQL, Self.shownNumbersSQL] {
                for row in try transaction.query(sql, [own, SQLValue(last), SQLValue(limit)]) {
                    numbers.insert(try row.integer("number"))
                }
            }
            let next = numbers.sorted(by: >).prefix(limit)
            isAtEnd = next.count < limit
            for number in next where found.count <= count {
                (last, examined) = (number, examined + 1)
                guard let row = try transaction.first(Self.rowSQL, [SQLValue(number)]) else { continue }
                if try query.takes(row) { found.append(row) }
            }
        }
        if found.count > count { return try page(of: found.prefix(count), hasMore: true, in: transaction) }
        let whole = try page(of: found[...], hasMore: false, in: transaction)
        guard whole.next == nil, !isAtEnd else { return whole }
        return AuditPage(events: whole.events, next: .init(at: "", number: last))
    }

    func pseudonym(of participant: String, in transaction: any SQLTransaction) throws -> String? {
        try transaction.first(Self.pseudonymSQL, [SQLValue(participant)])?.text("pseudonym")
    }

    // MARK: - Events

    private func page(
        of rows: ArraySlice<SQLRow>, hasMore: Bool, in transaction: any SQLTransaction
    ) throws -> AuditPage {
        var events: [AuditedEvent] = []
        var shown = 0
        for row in rows {
            guard events.isEmpty || shown < Self.shownPerPage else { break }
            let event = try event(row, in: transaction)
            shown += event.shown.count
            events.append(event)
        }
        guard hasMore || events.count < rows.count, let last = events.last?.entry else {
            return AuditPage(events: events, next: nil)
        }
        return AuditPage(events: events, next: .init(at: SQLTimestamp.text(last.at), number: last.number))
    }

    private func event(_ row: SQLRow, in transaction: any SQLTransaction) throws -> AuditedEvent {
        let entry = try AuditEntry(row, participants: [])
        let subject = try row.textIfPresent("subject").map { pseudonym in
            AuditedEvent.Participant(
                pseudonym: pseudonym,
                id: try transaction.first(Self.resolvedSQL, [SQLValue(pseudonym)])?.text("participant"))
        }
        let shown = try transaction.query(
            Self.shownSQL, [SQLValue(entry.number), SQLValue(Self.maximumShown + 1)]
        ).map {
            AuditedEvent.Participant(pseudonym: try $0.text("pseudonym"), id: $0.textIfPresent("participant"))
        }
        return AuditedEvent(
            entry: entry, subject: subject, shown: Array(shown.prefix(Self.maximumShown)),
            isCut: shown.count > Self.maximumShown)
    }

    /// Parameter: number.
    static let rowSQL = "SELECT * FROM audit WHERE number = ?"
    /// Parameters: pseudonym, number.
    static let isShownSQL = "SELECT 1 AS one FROM audit_participant WHERE pseudonym = ? AND number = ? LIMIT 1"
    /// Parameter: participant.
    static let pseudonymSQL = "SELECT pseudonym FROM participant_pseudonym WHERE participant = ?"
    /// Parameter: pseudonym.
    static let resolvedSQL = "SELECT participant FROM participant_pseudonym WHERE pseudonym = ?"
    /// Parameters: pseudonym, number before which the rows are, maximum number of rows.
    static let numbersSQL =
        "SELECT number FROM audit WHERE subject = ? AND number < ? ORDER BY number DESC LIMIT ?"
    /// Parameters: pseudonym, number before which the rows are, maximum number of rows.
    static let shownNumbersSQL =
        "SELECT number FROM audit_participant WHERE pseudonym = ? AND number < ? ORDER BY number DESC LIMIT ?"
    /// Parameters: number, maximum number of participants.
    static let shownSQL = """
        SELECT s.pseudonym AS pseudonym, p.participant AS participant FROM audit_participant s
        LEFT JOIN participant_pseudonym p ON p.pseudonym = s.pseudonym WHERE s.number = ? LIMIT ?
        """
}

extension AuditQuery {
    /// Whether a row has the agent and the time.
    fileprivate func takes(_ row: SQLRow) throws -> Bool {
        let at = try row.text("at")
        if let from, at < from { return false }
        if let before, at >= before { return false }
        guard let agent else { return true }
        return row.textIfPresent("actor_id") == agent || row.textIfPresent("client") == agent
    }
}
