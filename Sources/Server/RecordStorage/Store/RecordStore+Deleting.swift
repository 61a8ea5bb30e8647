import Foundation
import Storage

extension RecordStore {
    /// Deletes all resources about a participant, with all versions and search entries.
    ///
    /// - Parameter kept: the types that stay, except for the records of permissions.
    /// - Returns: the digests of the deleted rows by table, and the digest of the versions that stayed.
    package func delete(
        about participant: String, keeping kept: Set<String>, in transaction: any SQLTransaction
    ) throws -> (removed: [String: RowsDigest], kept: RowsDigest) {
        let types = try types(in: transaction)
        try RecordTypeChanges.count(Set(types), in: transaction)
        let exports = try Self.removeExports(in: transaction)
        // A resource that also belongs to others is the participant's too, and is deleted.
        let leaving = types.filter { !kept.contains($0) }
        if !leaving.isEmpty {
            try transaction.execute(
                Self.takingSQL(leaving.count),
                [SQLValue(participant), SQLValue(participant)] + leaving.map { SQLValue($0) })
        }
        let keeping = types.filter { kept.contains($0) }
        let ofPermissions = try RecordGuard.numbers(of: participant, keeping, in: transaction)
        let gone = Self.numbers(of: participant, leaving, with: ofPermissions, in: transaction.dialect)
        let staying = Self.numbers(of: participant, keeping, without: ofPermissions, in: transaction.dialect)
        let versions = try transaction.digest(
            of: "record_version", where: staying.condition, staying.parameters, orderedBy: "number, version")
        var removed: [String: RowsDigest] = [:]
        removed["export_job"] = exports
        var terms: Set<Int64> = []
        for (table, key) in RecordsSchema.searchEntryTables {
            removed["\(table)"] = try transaction.delete(
                from: table, where: gone.condition, gone.parameters, orderedBy: key
            ) { terms.insert(try $0.integer("term")) }
        }
        removed["record_protection"] = try transaction.delete(
            from: "record_protection", where: gone.condition, gone.parameters, orderedBy: "number, kind, value")
        removed["record_stream"] = try transaction.delete(
            from: "record_stream", where: "subject = ?", [SQLValue(participant)], orderedBy: "stream")
        removed["written_bytes"] = try transaction.delete(
            from: "written_bytes", where: "subject = ?", [SQLValue(participant)], orderedBy: "day, client")
        removed["record_former"] = try transaction.delete(
            from: "record_former", where: gone.condition, gone.parameters, orderedBy: "number, version")
        // Terms that others use stay: none of the participant's rows contains such a number and its code any more.
        removed["search_term"] = try SearchTermNumbers.deleteUnused(among: terms, in: transaction)
        var sources: Set<Int64> = []
        removed["record_version"] = try transaction.delete(
            from: "record_version", where: gone.condition, gone.parameters, orderedBy: "number, version"
        ) { sources.insert(try $0.integer("source")) }
        removed["record_source"] = try RecordSources.deleteUnused(among: sources, in: transaction)
        removed["record"] = try transaction.delete(
            from: "record", where: gone.condition, gone.parameters, orderedBy: "number")
        return (removed, versions)
    }

    /// Returns the ids of all participants with a resource about them.
    package func subjects(in transaction: any SQLTransaction) throws -> Set<String> {
        var subjects: Set<String> = []
        for type in try types(in: transaction) {
            try transaction.each(
                "SELECT DISTINCT subject FROM record WHERE type = ? AND subject IS NOT NULL", [SQLValue(type)]
            ) { subjects.insert(try $0.text("subject")) }
        }
        return subjects
    }

    /// Returns the number of resources about a participant, by type.
    package func counts(about participant: String, in transaction: any SQLTransaction) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for type in try types(in: transaction) {
            let row = try transaction.first(
                "SELECT count(*) AS total FROM record WHERE type = ? AND subject = ? AND deleted = 0",
                [SQLValue(type), SQLValue(participant)])
            let count = Int(try row?.integer("total") ?? 0)
            if count > 0 { counts[type] = count }
        }
        return counts
    }

    /// Returns the types of the stored resources, with one index lookup for each.
    package func types(in transaction: any SQLTransaction) throws -> [String] {
        var types: [String] = []
        while let type = try transaction.first(
            "SELECT min(type) AS next FROM record WHERE type > ?", [SQLValue(types.last ?? "")]
        )?.textIfPresent("next") {
            types.append(type)
        }
        return types
    }

    /// SQL that assigns resources with several owners to one participant. Parameters: participant, participant, types.
    static func takingSQL(_ types: Int) -> String {
        """
        UPDATE record SET subject = ? WHERE number IN (
            SELECT p.number FROM record_protection p WHERE p.kind = 'owner' AND p.value = ?)
            AND subject IS NULL AND type IN (\(repeatElement("?", count: types).joined(separator: ", ")))
        """
    }

    /// Returns the condition on the records of types, and on more records.
    private static func numbers(
        of participant: String, _ types: [String], with others: [Int64], in dialect: SQLDialect
    ) -> (condition: String, parameters: [SQLValue]) {
        let found = numbers(of: participant, types)
        guard !others.isEmpty else { return found }
        let list = list(others, in: dialect)
        // One subquery, so that the index of the numbers is used.
        let some = types.isEmpty ? "" : "\(found.condition.dropFirst("number IN (".count).dropLast()) UNION "
        return (
            "number IN (\(some)\(list.sql))",
            (types.isEmpty ? [] : found.parameters) + list.parameters
        )
    }

    /// Returns the condition on the records of types, except for some of them.
    private static func numbers(
        of participant: String, _ types: [String], without others: [Int64], in dialect: SQLDialect
    ) -> (condition: String, parameters: [SQLValue]) {
        let found = numbers(of: participant, types)
        guard !others.isEmpty else { return found }
        let list = list(others, in: dialect)
        return ("\(found.condition) AND number NOT IN (\(list.sql))", found.parameters + list.parameters)
    }

    /// Returns a query of numbers, as one parameter.
    private static func list(_ numbers: [Int64], in dialect: SQLDialect) -> SQLFragment {
        let text = "[\(numbers.map(String.init).joined(separator: ","))]"
        return SQLFragment(
            dialect == .sqlite
                ? "SELECT value FROM json_each(?)"
                : "SELECT CAST(e.value AS bigint) FROM jsonb_array_elements_text(CAST(? AS jsonb)) e",
            [SQLValue(text)])
    }

    package static func numbers(of participant: String, _ types: [String]) -> (
        condition: String, parameters: [SQLValue]
    ) {
        guard !types.isEmpty else { return ("number < ?", [0]) }
        let placeholders = repeatElement("?", count: types.count).joined(separator: ", ")
        return (
            "number IN (SELECT number FROM record WHERE type IN (\(placeholders)) AND subject = ?)",
            types.map { SQLValue($0) } + [SQLValue(participant)]
        )
    }
}
