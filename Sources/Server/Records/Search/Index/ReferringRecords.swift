import FHIR
import Storage

/// SQL that follows the references of a search parameter, from the referring records to the targets and back.
///
/// A reference is in the row of its record where it is only the subject (``SearchLayout/Place``), otherwise in the
/// search entries. A reference to this server may begin with one of its own base URLs. Definitions are referenced by
/// their URLs.
struct ReferringRecords {
    /// The type of the referring records.
    let type: String
    private let layout: SearchLayout
    /// The parameters with search entries of their own, as indices in the tree.
    private let places: [Int]
    private let ownBases: [String]

    /// - Parameter ownBases: the server's own base URLs, in the form of ``SearchIndex/indexed(_:)``.
    /// - Throws: ``SearchConditionError`` for a parameter that the type does not have.
    init(type: String, parameter: String, _ ownBases: [String]) throws {
        guard let layout = SearchLayout.of(type), let place = layout.tree.place(of: parameter) else {
            throw SearchConditionError.unknownParameter(type)
        }
        self.type = type
        self.layout = layout
        self.ownBases = ownBases
        places = ReferringRecords.leaves(place, layout)
    }

    private static func leaves(_ place: Int, _ layout: SearchLayout) -> [Int] {
        guard case .union(let places) = layout.places[place] else { return [place] }
        return places.flatMap { leaves($0, layout) }
    }

    private func code(_ place: Int) -> String { layout.tree.parameters[place].code }

    private func name(_ place: Int, _ aspect: SearchTerm.Aspect) -> SQLValue {
        SQLValue(code(place) + aspect.rawValue)
    }

    /// Condition on a row `r` or `f`: it has a subject that is a value of the parameter.
    private func hasSubject(_ place: Int, _ row: String) -> SQLFragment {
        SQLFragment(
            "\(row).subject IS NOT NULL AND NOT EXISTS (SELECT 1 FROM record_term e JOIN search_term c ON c.number = e.term"
                + " WHERE e.number = \(row).number AND c.type = ? AND c.parameter = ?)",
            [SQLValue(type), name(place, .differing)])
    }

    /// Condition on the rows `c` of terms that are references to resources of a type on this server: with their ids, or
    /// after one of the own base URLs.
    private func terms(_ place: Int, _ plain: SQLFragment, _ remote: SQLFragment) -> SQLFragment {
        let own = SQLFragment("c.type = ? AND ", [SQLValue(type)])
        let isPlain = SQLFragment("c.parameter = ? AND ", [name(place, .plain)]) + plain
        guard !ownBases.isEmpty else { return own + isPlain }
        let isRemote =
            SQLFragment("c.parameter = ? AND c.system IN ", [name(place, .remote)])
            + .list(ownBases.map { SQLValue($0) }) + " AND " + remote
        return own + "((" + isPlain + ") OR (" + isRemote + "))"
    }

    // MARK: From targets to referring records

    /// Returns a condition on a row `r` that refers to one of the records of a type.
    ///
    /// - Parameter found: those records, selected by a statement (``SelectedRecords``).
    func referring(to target: String, in found: SelectedRecords) -> SQLFragment {
        .any(places.flatMap { referring(to: target, in: found, $0) })
    }

    /// Returns a condition on a row `r` that refers by type and id to one of some rows, of any type. It is evaluated
    /// for each referring row.
    ///
    /// - Parameters:
    ///   - rows: the condition on those rows, which it also names `r`.
    ///   - entry: a condition on the row `e` of the referring entry.
    func referring(toAny rows: SQLFragment, where entry: SQLFragment = .always) -> SQLFragment {
        .any(
            places.map { place in
                SQLFragment(
                    "EXISTS (SELECT 1 FROM record_term e JOIN search_term c ON c.number = e.term"
                        + " AND c.type = ? AND c.parameter = ? WHERE e.number = r.number"
                        + " AND EXISTS (SELECT 1 FROM record r WHERE r.\(RecordAddress.column) = "
                        + "\(RecordAddress.sql(type: "c.system", id: "c.code")) AND ",
                    [SQLValue(type), name(place, .plain)]) + rows + ") AND " + entry + ")"
            })
    }

    private func referring(to target: String, in found: SelectedRecords, _ place: Int) -> [SQLFragment] {
        let entries =
            "r.number IN (SELECT e.number FROM \(found.name) f JOIN search_term c ON "
            + terms(
                place, SQLFragment("c.code = f.id AND c.system = f.type"),
                SQLFragment("c.code = f.type || '/' || f.id"))
            + " JOIN record_term e ON e.term = c.number)"
        var all = [entries]
        if layout.places[place] == .subject, target == Patient.resourceType {
            all.append("(r.subject IN (SELECT f.id FROM \(found.name) f) AND " + hasSubject(place, "r") + ")")
        }
        if let url = ReferringRecords.url(of: target), hasCanonicals(place) {
            // The term of the definition's own URL contains the version, too.
            all.append(
                SQLFragment(
                    "r.number IN (SELECT e.number FROM \(found.name) f JOIN record_term u ON u.number = f.number"
                        + " JOIN search_term t ON t.number = u.term AND t.type = ? AND t.parameter = ?"
                        + " JOIN search_term c ON c.type = ? AND c.parameter = ?"
                        + " AND t.code = c.code || CASE WHEN c.system = '' THEN '' ELSE '|' || c.system END"
                        + " JOIN record_term e ON e.term = c.number)",
                    [SQLValue(target), SQLValue(url), SQLValue(type), name(place, .url)]))
        }
        return all
    }

    // MARK: From referring records to targets

    /// Returns a condition on a row `r` of a type to which one of the records refers.
    ///
    /// - Parameter found: the referring records, selected by a statement (``SelectedRecords``).
    func referred(_ target: String, from found: SelectedRecords) -> SQLFragment {
        .any(places.flatMap { referred(target, from: found, $0) })
    }

    private func referred(_ target: String, from found: SelectedRecords, _ place: Int) -> [SQLFragment] {
        // A reference after an own base URL is `Type/id`, and so is every code in the range.
        let plain = SQLFragment("c.system = ?", [SQLValue(target)])
        let remote = SQLFragment("c.code >= ? AND c.code < ?", [SQLValue(target + "/"), SQLValue(target + "0")])
        let ofPlain = RecordAddress.sql(type: "c.system", id: "c.code")
        let address =
            ownBases.isEmpty
            ? SQLFragment(ofPlain)
            : SQLFragment(
                "CASE WHEN c.parameter = ? THEN \(ofPlain) ELSE \(TextDigest.function)(c.code) END",
                [name(place, .plain)])
        var all = [
            RecordAddress.isAmong(
                "(SELECT " + address + " FROM \(found.name) f JOIN record_term e ON e.number = f.number"
                    + " JOIN search_term c ON c.number = e.term AND " + terms(place, plain, remote) + ")")
        ]
        if layout.places[place] == .subject, target == Patient.resourceType {
            let ofSubject = RecordAddress.sql(type: "'\(Patient.resourceType)'", id: "f.subject")
            all.append(
                RecordAddress.isAmong(
                    "(SELECT \(ofSubject) FROM \(found.name) f WHERE " + hasSubject(place, "f") + ")"))
        }
        if let url = ReferringRecords.url(of: target), hasCanonicals(place) {
            all.append(
                SQLFragment(
                    "r.number IN (SELECT u.number FROM \(found.name) f JOIN record_term e ON e.number = f.number"
                        + " JOIN search_term c ON c.number = e.term AND c.type = ? AND c.parameter = ?"
                        + " JOIN search_term t ON t.type = ? AND t.parameter = ? AND t.system = ''"
                        + " AND t.code = c.code || CASE WHEN c.system = '' THEN '' ELSE '|' || c.system END"
                        + " JOIN record_term u ON u.term = t.number)",
                    [SQLValue(type), name(place, .url), SQLValue(target), SQLValue(url)]))
        }
        return all
    }

    /// Returns a condition on rows `r` that refer to resources of a type with certain ids.
    func referring(to target: String, ids: [String]) -> SQLFragment {
        .any(
            places.flatMap { place -> [SQLFragment] in
                let plain =
                    SQLFragment("c.system = ? AND c.code IN ", [SQLValue(target)]) + .list(ids.map { SQLValue($0) })
                let remote = "c.code IN " + .list(ids.map { SQLValue(target + "/" + $0) })
                var found = [
                    "r.number IN (SELECT e.number FROM search_term c JOIN record_term e ON e.term = c.number WHERE "
                        + terms(place, plain, remote) + ")"
                ]
                if layout.places[place] == .subject, target == Patient.resourceType {
                    found.append(
                        "(r.subject IN " + .list(ids.map { SQLValue($0) }) + " AND " + hasSubject(place, "r") + ")")
                }
                return found
            })
    }

    /// Returns a condition on rows `r` that refer to definitions by URLs as written: with a version after `|`, or
    /// without.
    func referring(toURLs urls: [String]) -> SQLFragment {
        .any(
            places.filter(hasCanonicals).map { place in
                SQLFragment(
                    "r.number IN (SELECT e.number FROM search_term c JOIN record_term e ON e.term = c.number"
                        + " WHERE c.type = ? AND c.parameter = ?"
                        + " AND c.code || CASE WHEN c.system = '' THEN '' ELSE '|' || c.system END IN ",
                    [SQLValue(type), name(place, .url)]) + .list(urls.map { SQLValue($0) }) + ")"
            })
    }

    // MARK: Definitions

    /// Returns the parameter under which the index has the canonical URLs of a type's resources; nil where they have
    /// none.
    static func url(of type: String) -> String? {
        guard let layout = SearchLayout.of(type), let place = layout.tree.place(of: "url"),
            layout.tree.parameters[place].kind == .uri, let leaf = leaves(place, layout).first
        else { return nil }
        return layout.tree.parameters[leaf].code
    }

    /// Whether a parameter selects references by URL.
    private func hasCanonicals(_ place: Int) -> Bool {
        layout.tree.nodes.contains { node in
            [.canonical, .uri].contains(SearchedForm.of(node.type))
                && node.leaves.contains { $0.kind == .reference && $0.parameters.contains(place) }
        }
    }
}
