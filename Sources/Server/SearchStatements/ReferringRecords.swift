import FHIR
import FHIRSearch
import RecordStorage
import Storage

/// SQL that follows the references of a search parameter, from the referring records to the targets and back.
///
/// A reference is in the row of its record where it is only the subject (``SearchLayout/Location``), otherwise in the
/// search entries. A reference to this server may begin with one of its own base URLs. Definitions are referenced by
/// their URLs.
package struct ReferringRecords {
    /// The type of the referring records.
    package let type: String
    private let layout: SearchLayout
    /// The parameters with search entries of their own, as indices in the tree.
    private let indices: [Int]
    private let ownBases: [String]

    /// - Parameter ownBases: the server's own base URLs, in the form of ``SearchIndex/indexed(_:)``.
    /// - Throws: ``SearchConditionError`` for a parameter that the type does not have.
    package init(type: String, parameter: String, _ ownBases: [String]) throws {
        guard let layout = SearchLayout.of(type), let index = layout.tree.index(of: parameter) else {
            throw SearchConditionError.unknownParameter(type)
        }
        self.type = type
        self.layout = layout
        self.ownBases = ownBases
        indices = ReferringRecords.leaves(index, layout)
    }

    private static func leaves(_ index: Int, _ layout: SearchLayout) -> [Int] {
        guard case .union(let indices) = layout.locations[index] else { return [index] }
        return indices.flatMap { leaves($0, layout) }
    }

    private func code(_ index: Int) -> String { layout.tree.parameters[index].code }

    private func name(_ index: Int, _ aspect: SearchTerm.Aspect) -> SQLValue {
        SQLValue(code(index) + aspect.rawValue)
    }

    /// Condition on a row `r` or `f`: it has a subject that is a value of the parameter.
    private func hasSubject(_ index: Int, _ row: String) -> SQLFragment {
        SQLFragment(
            "\(row).subject IS NOT NULL AND NOT EXISTS (SELECT 1 FROM record_term e JOIN search_term c ON c.number = e.term"
                + " WHERE e.number = \(row).number AND c.type = ? AND c.parameter = ?)",
            [SQLValue(type), name(index, .differing)])
    }

    /// Condition on the rows `c` of terms that are references to resources of a type on this server: with their ids, or
    /// after one of the own base URLs.
    private func terms(_ index: Int, plain: SQLFragment, remote: SQLFragment) -> SQLFragment {
        let own = SQLFragment("c.type = ? AND ", [SQLValue(type)])
        let isPlain = SQLFragment("c.parameter = ? AND ", [name(index, .plain)]) + plain
        guard !ownBases.isEmpty else { return own + isPlain }
        let isRemote =
            SQLFragment("c.parameter = ? AND c.system IN ", [name(index, .remote)])
            + .list(ownBases.map { SQLValue($0) }) + " AND " + remote
        return own + "((" + isPlain + ") OR (" + isRemote + "))"
    }

    // MARK: From targets to referring records

    /// Returns a condition on a row `r` that refers to one of the records of a type.
    ///
    /// - Parameter found: those records, selected by a statement (``SelectedRecords``).
    package func referring(to target: String, in found: SelectedRecords) -> SQLFragment {
        .any(indices.flatMap { referring(to: target, in: found, $0) })
    }

    /// Returns a condition on a row `r` that refers by type and id to one of some rows, of any type. It is evaluated
    /// for each referring row.
    ///
    /// - Parameters:
    ///   - rows: the condition on those rows, which it also names `r`.
    ///   - entry: a condition on the row `e` of the referring entry.
    package func referring(toAny rows: SQLFragment, where entry: SQLFragment = .always) -> SQLFragment {
        .any(
            indices.map { index in
                SQLFragment(
                    "EXISTS (SELECT 1 FROM record_term e JOIN search_term c ON c.number = e.term"
                        + " AND c.type = ? AND c.parameter = ? WHERE e.number = r.number"
                        + " AND EXISTS (SELECT 1 FROM record r WHERE r.\(RecordKey.column) = "
                        + "\(RecordKey.sql(type: "c.system", id: "c.code")) AND ",
                    [SQLValue(type), name(index, .plain)]) + rows + ") AND " + entry + ")"
            })
    }

    private func referring(to target: String, in found: SelectedRecords, _ index: Int) -> [SQLFragment] {
        let entries =
            "r.number IN (SELECT e.number FROM \(found.name) f JOIN search_term c ON "
            + terms(
                index, plain: SQLFragment("c.code = f.id AND c.system = f.type"),
                remote: SQLFragment("c.code = f.type || '/' || f.id"))
            + " JOIN record_term e ON e.term = c.number)"
        var all = [entries]
        if layout.locations[index] == .subject, target == Patient.resourceType {
            all.append("(r.subject IN (SELECT f.id FROM \(found.name) f) AND " + hasSubject(index, "r") + ")")
        }
        if let url = ReferringRecords.url(of: target), hasCanonicals(index) {
            // The term of the definition's own URL contains the version, too.
            all.append(
                SQLFragment(
                    "r.number IN (SELECT e.number FROM \(found.name) f JOIN record_term u ON u.number = f.number"
                        + " JOIN search_term t ON t.number = u.term AND t.type = ? AND t.parameter = ?"
                        + " JOIN search_term c ON c.type = ? AND c.parameter = ?"
                        + " AND t.code = c.code || CASE WHEN c.system = '' THEN '' ELSE '|' || c.system END"
                        + " JOIN record_term e ON e.term = c.number)",
                    [SQLValue(target), SQLValue(url), SQLValue(type), name(index, .url)]))
        }
        return all
    }

    // MARK: From referring records to targets

    /// Returns a condition on a row `r` of a type to which one of the records refers.
    ///
    /// - Parameter found: the referring records, selected by a statement (``SelectedRecords``).
    package func referred(_ target: String, from found: SelectedRecords) -> SQLFragment {
        .any(indices.flatMap { referred(target, from: found, $0) })
    }

    private func referred(_ target: String, from found: SelectedRecords, _ index: Int) -> [SQLFragment] {
        // A reference after an own base URL is `Type/id`, and so is every code in the range.
        let plain = SQLFragment("c.system = ?", [SQLValue(target)])
        let remote = SQLFragment("c.code >= ? AND c.code < ?", [SQLValue(target + "/"), SQLValue(target + "0")])
        let ofPlain = RecordKey.sql(type: "c.system", id: "c.code")
        let address =
            ownBases.isEmpty
            ? SQLFragment(ofPlain)
            : SQLFragment(
                "CASE WHEN c.parameter = ? THEN \(ofPlain) ELSE \(TextDigest.function)(c.code) END",
                [name(index, .plain)])
        var all = [
            RecordKey.isAmong(
                "(SELECT " + address + " FROM \(found.name) f JOIN record_term e ON e.number = f.number"
                    + " JOIN search_term c ON c.number = e.term AND " + terms(index, plain: plain, remote: remote) + ")"
            )
        ]
        if layout.locations[index] == .subject, target == Patient.resourceType {
            let ofSubject = RecordKey.sql(type: "'\(Patient.resourceType)'", id: "f.subject")
            all.append(
                RecordKey.isAmong(
                    "(SELECT \(ofSubject) FROM \(found.name) f WHERE " + hasSubject(index, "f") + ")"))
        }
        if let url = ReferringRecords.url(of: target), hasCanonicals(index) {
            all.append(
                SQLFragment(
                    "r.number IN (SELECT u.number FROM \(found.name) f JOIN record_term e ON e.number = f.number"
                        + " JOIN search_term c ON c.number = e.term AND c.type = ? AND c.parameter = ?"
                        + " JOIN search_term t ON t.type = ? AND t.parameter = ? AND t.system = ''"
                        + " AND t.code = c.code || CASE WHEN c.system = '' THEN '' ELSE '|' || c.system END"
                        + " JOIN record_term u ON u.term = t.number)",
                    [SQLValue(type), name(index, .url), SQLValue(target), SQLValue(url)]))
        }
        return all
    }

    /// Returns a condition on rows `r` that refer to resources of a type with certain ids.
    package func referring(to target: String, ids: [String]) -> SQLFragment {
        .any(
            indices.flatMap { index -> [SQLFragment] in
                let plain =
                    SQLFragment("c.system = ? AND c.code IN ", [SQLValue(target)]) + .list(ids.map { SQLValue($0) })
                let remote = "c.code IN " + .list(ids.map { SQLValue(target + "/" + $0) })
                var found = [
                    "r.number IN (SELECT e.number FROM search_term c JOIN record_term e ON e.term = c.number WHERE "
                        + terms(index, plain: plain, remote: remote) + ")"
                ]
                if layout.locations[index] == .subject, target == Patient.resourceType {
                    found.append(
                        "(r.subject IN " + .list(ids.map { SQLValue($0) }) + " AND " + hasSubject(index, "r") + ")")
                }
                return found
            })
    }

    /// Returns a condition on rows `r` that refer to definitions by URLs as written: with a version after `|`, or
    /// without.
    package func referring(toURLs urls: [String]) -> SQLFragment {
        .any(
            indices.filter(hasCanonicals).map { index in
                SQLFragment(
                    "r.number IN (SELECT e.number FROM search_term c JOIN record_term e ON e.term = c.number"
                        + " WHERE c.type = ? AND c.parameter = ?"
                        + " AND c.code || CASE WHEN c.system = '' THEN '' ELSE '|' || c.system END IN ",
                    [SQLValue(type), name(index, .url)]) + .list(urls.map { SQLValue($0) }) + ")"
            })
    }

    // MARK: Definitions

    /// Returns the parameter under which the index has the canonical URLs of a type's resources; nil where they have
    /// none.
    package static func url(of type: String) -> String? {
        guard let layout = SearchLayout.of(type), let index = layout.tree.index(of: "url"),
            layout.tree.parameters[index].kind == .uri, let leaf = leaves(index, layout).first
        else { return nil }
        return layout.tree.parameters[leaf].code
    }

    /// Whether a parameter selects references by URL.
    private func hasCanonicals(_ index: Int) -> Bool {
        layout.tree.nodes.contains { node in
            [.canonical, .uri].contains(SearchValueType.of(node.type))
                && node.leaves.contains { $0.kind == .reference && $0.parameters.contains(index) }
        }
    }
}
