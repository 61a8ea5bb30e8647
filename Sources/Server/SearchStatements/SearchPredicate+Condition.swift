import Core
import FHIR
import FHIRSearch
import Foundation
import RecordStorage
import Storage

extension SearchPredicate {
    /// Creates the predicate of a condition on the stored index of a record. It agrees with
    /// ``SearchCondition/matches(_:terminology:)`` on the values of a resource.
    ///
    /// - Parameter terms: the terms of the store.
    /// - Throws: the errors of the terms; ``SearchConditionError``.
    init(_ asked: SearchCondition, terms: any SearchTerms) throws {
        guard let layout = SearchLayout.of(asked.type), let index = layout.tree.index(of: asked.parameter.code) else {
            throw SearchConditionError.unknownParameter(asked.type)
        }
        let reader = SearchPredicateReader(asked: asked, layout: layout, terms: terms)
        let found = SearchPredicate.some(try asked.alternatives.map { try reader.predicate($0, index) })
        self = asked.modifier?.isNegation == true ? found.negated : found
    }
}

/// The lookups of the store's terms on which a search depends.
protocol SearchTerms {
    /// Returns the terms of a parameter with a system.
    func terms(type: String, parameter: String, system: String) throws -> [(number: Int64, code: String)]
    /// Returns the numbers of the terms `c` that meet a condition; nil where they are more than a limit.
    func numbers(where condition: SQLFragment, limit: Int) throws -> [Int64]?
}

/// Reads one condition, by the locations of its parameter's values.
struct SearchPredicateReader {
    let asked: SearchCondition
    let layout: SearchLayout
    let terms: any SearchTerms
    /// The rows that comparisons of numbers include.
    private var extent = SearchBounds.Extent.any

    init(asked: SearchCondition, layout: SearchLayout, terms: any SearchTerms) {
        self.asked = asked
        self.layout = layout
        self.terms = terms
    }

    private func code(_ index: Int) -> String { layout.tree.parameters[index].code }

    // MARK: Locations

    func predicate(_ comparand: SearchComparand, _ index: Int) throws -> SearchPredicate {
        if case .missing(let isMissing) = comparand {
            let present = try presence(index)
            return isMissing ? present.negated : present
        }
        switch layout.locations[index] {
        case .id: return id(comparand)
        case .lastUpdated:
            guard case .date(let prefix, let period) = comparand else { return .never }
            let comparison = DateColumns.update.compared(prefix, low: period.low, high: period.high)
            return .row(SQLFragment(comparison.condition, comparison.parameters))
        case .subject:
            let entries = try entries(comparand, code(index))
            guard let own = ownSubject(comparand) else { return entries }
            return .some([.every([.subject(own), try hasDiffering(index).negated]), entries])
        case .time:
            let entries = try entries(comparand, code(index))
            guard case .date(let prefix, let period) = comparand else { return entries }
            return .some([.time(prefix, period), entries])
        case .entries: return try entries(comparand, code(index))
        case .union(let indices): return .some(try indices.map { try predicate(comparand, $0) })
        case .composite(let ways):
            guard case .composite(let values) = comparand else { return .never }
            return .some(try ways.map { try predicate(values, $0) })
        }
    }

    private func predicate(_ values: [SearchComparand], _ way: SearchLayout.Way) throws -> SearchPredicate {
        switch way {
        case .together(let components):
            guard components.count == values.count else { return .never }
            return .every(
                try zip(values, components).map { value, component in
                    switch component {
                    case .parameter(let index): try predicate(value, index)
                    case .entries(let number, let index):
                        try entries(value, SearchTerm.component(number, of: code(index)))
                    }
                })
        case .parts(let parameter):
            var tables = "record_part e"
            var conditions: [SQLFragment] = []
            for (index, value) in values.enumerated() {
                let row = index == 0 ? "e" : "e\(index)"
                if index > 0 {
                    tables += " JOIN record_part \(row) ON \(row).number = e.number AND \(row).part = e.part"
                }
                conditions.append(
                    try part(value, of: SearchTerm.component(index, of: code(parameter)), in: row))
            }
            return .entries(tables, .all(conditions))
        }
    }

    private func id(_ comparand: SearchComparand) -> SearchPredicate {
        guard case .token(let token) = comparand, let code = token.code else { return .never }
        if case .named = token.system { return .never }
        return .id(code)
    }

    // MARK: The record's subject

    /// Returns the Patient's id that the record's row may have; nil where the comparand is something else.
    private func ownSubject(_ comparand: SearchComparand) -> String? {
        guard case .reference(let reference) = comparand, let id = reference.id, reference.base == nil,
            reference.type == nil || reference.type == Patient.resourceType
        else { return nil }
        return id
    }

    private func hasDiffering(_ index: Int) throws -> SearchPredicate {
        .entries("record_term e", try term(code(index), aspects: [.differing], in: "e"))
    }

    // MARK: Presence

    private func presence(_ index: Int) throws -> SearchPredicate {
        switch layout.locations[index] {
        case .id, .lastUpdated, .composite: return .always
        case .entries: return try entryExists(index)
        case .subject:
            return .some([
                .every([.row(SQLFragment("r.subject IS NOT NULL")), try hasDiffering(index).negated]),
                try entryExists(index),
            ])
        case .time: return .some([.row(SQLFragment("r.date_low IS NOT NULL")), try entryExists(index)])
        case .union(let indices): return .some(try indices.map(presence))
        }
    }

    private func entryExists(_ index: Int) throws -> SearchPredicate {
        let tables: [String] =
            switch layout.tree.parameters[index].kind {
            case .string: ["record_text", "record_term"]
            case .date: ["record_time", "record_term"]
            case .number, .quantity: ["record_number", "record_term"]
            case .token: ["record_term", "record_print"]
            default: ["record_term"]
            }
        let aspects = SearchTerm.Aspect.allCases.filter { $0 != .differing }
        let condition = try term(code(index), aspects: aspects, in: "e")
        return .some(tables.map { .entries($0 + " e", condition) })
    }

    // MARK: Entries

    /// Returns the predicate of an entry under a parameter.
    private func entries(_ comparand: SearchComparand, _ parameter: String) throws -> SearchPredicate {
        let table: String
        switch comparand {
        case .begin, .part, .exact: table = "record_text"
        case .date: table = "record_time"
        case .number(.gt, _), .number(.ge, _), .number(.eb, _), .quantity(.gt, _), .quantity(.ge, _), .quantity(.eb, _):
            // By the upper bound. The few ranges have an index by it.
            return .some(
                try [SearchBounds.Extent.number, .range].map { extent in
                    var reader = self
                    reader.extent = extent
                    return .entries("record_number e", try reader.part(comparand, of: parameter, in: "e"))
                })
        case .number, .quantity: table = "record_number"
        case .typed: return try keyed(comparand, parameter)
        case .codes(let codes) where SearchLayout.isOfItsOwn(parameter):
            return .some(
                try codes.codes.sorted().map { code in
                    let token = SearchComparand.Token(
                        system: .named(codes.system), code: code,
                        lowercased: SearchIndex.indexed(TokenCase.folded(code)))
                    return try keyed(.token(token), parameter)
                })
        case .token(let token) where SearchLayout.isOfItsOwn(parameter) && token.code != nil:
            return try keyed(comparand, parameter)
        case .token where SearchLayout.isOfItsOwn(parameter), .tokenText where SearchLayout.isOfItsOwn(parameter):
            // For a system without a code, or a text, the term is sufficient, in either table.
            let condition = try part(comparand, of: parameter, in: "e")
            return .some([.entries("record_print e", condition), .entries("record_term e", condition)])
        default: table = "record_term"
        }
        return .entries(table + " e", try part(comparand, of: parameter, in: "e"))
    }

    /// Returns the condition on a row of a table of entries, given by its alias.
    private func part(_ comparand: SearchComparand, of parameter: String, in row: String) throws -> SQLFragment {
        switch comparand {
        case .token(let token): return try self.token(token, of: parameter, in: row)
        case .codes(let asked):
            return try term(
                .any(
                    [(SearchTerm.Aspect.plain, asked.codes), (.lowercase, asked.lowercased)].map { aspect, codes in
                        .all([
                            SQLFragment("c.parameter = ?", [SQLValue(parameter + aspect.rawValue)]),
                            SQLFragment("c.system = ?", [SQLValue(asked.system)]),
                            .isOne("c.code", of: codes.sorted().map { SQLValue($0) }),
                        ])
                    }), in: row)
        case .tokenText(let text):
            let (low, high) = Self.range(SearchTerm.shortened(text))
            return try term(
                parameter, aspects: [.plain, .lowercase], in: row,
                where: SQLFragment("c.display >= ? AND c.display < ?", [low, high]))
        case .begin(let text):
            let (low, high) = Self.range(text)
            return .all([
                try term(parameter, aspects: [.plain], in: row),
                SQLFragment("\(row).folded >= ? AND \(row).folded < ?", [low, high]),
            ])
        case .part(let text):
            return .all([
                try term(parameter, aspects: [.plain], in: row),
                SQLFragment("\(row).folded LIKE ? ESCAPE '!'", [SQLValue("%" + Self.escaped(text) + "%")]),
            ])
        case .exact(let text):
            var conditions = [try term(parameter, aspects: [.plain], in: row)]
            // A long text is indexed as its digest; its folded form is not known then.
            if !SearchIndex.isDigest(text), let folded = SearchString(text)?.folded {
                conditions.append(SQLFragment("\(row).folded = ?", [SQLValue(folded)]))
            }
            return .all(conditions + [SQLFragment("\(row).exact = ?", [SQLValue(text)])])
        case .date(let prefix, let period):
            let time = DateColumns(low: row + ".low", high: row + ".high", duration: nil)
            let comparison = time.compared(prefix, low: period.low, high: period.high)
            return .all([
                try term(parameter, aspects: [.plain], in: row),
                SQLFragment(comparison.condition, comparison.parameters),
            ])
        case .number(let prefix, let number):
            return .all([
                try term(parameter, aspects: [.plain], in: row),
                SearchBounds.compare(prefix, number, in: row, of: extent),
            ])
        case .quantity(let prefix, let quantity): return try self.quantity(prefix, quantity, of: parameter, in: row)
        case .reference(let reference): return try self.reference(reference, of: parameter, in: row)
        case .identifier(let token):
            var codes = [token.code]
            if token.lowercased != token.code { codes.append(token.lowercased) }
            return try coded(codes.map { (.identifier, token.system, $0) }, of: parameter, in: row)
        case .uri(let uri): return try self.uri(uri, of: parameter, in: row)
        case .typed, .valueSet, .missing, .composite: return .never
        }
    }

    // MARK: Terms

    /// Maximum number of terms in the statement. With more, the statement contains a subquery.
    private static let maximumTerms = 20

    /// Returns the condition that a row's term is one of a parameter's and meets a condition.
    private func term(
        _ parameter: String, aspects: [SearchTerm.Aspect], in row: String, where condition: SQLFragment = .always
    ) throws -> SQLFragment {
        let names = aspects.map { SQLValue(parameter + $0.rawValue) }
        return try term(.all([.isOne("c.parameter", of: names), condition]), in: row)
    }

    /// Returns the condition that a row's term meets a condition.
    private func term(_ condition: SQLFragment, in row: String) throws -> SQLFragment {
        guard !condition.isNever else { return .never }
        let whole = SQLFragment.all([SQLFragment("c.type = ?", [SQLValue(asked.type)]), condition])
        if let numbers = try terms.numbers(where: whole, limit: Self.maximumTerms) {
            return .isOne(row + ".term", of: numbers.map { SQLValue($0) })
        }
        return SQLFragment(
            "\(row).term IN (SELECT c.number FROM search_term c WHERE \(whole.sql))", whole.parameters)
    }

    private func token(_ token: SearchComparand.Token, of parameter: String, in row: String) throws -> SQLFragment {
        var asked: [(SearchTerm.Aspect, SearchComparand.System, String?)] = [
            (.plain, token.system, token.code), (.lowercase, token.system, token.lowercased),
        ]
        if token.code == nil { asked = asked.map { ($0.0, $0.1, nil) } }
        guard self.asked.modifier == .below, let code = token.code, let lowercased = token.lowercased,
            code.utf8.contains(UInt8(ascii: "/"))
        else { return try coded(asked, of: parameter, in: row) }
        // A media type with parameters (<https://hl7.org/fhir/R4/search.html#mimetype>).
        let below = try [(SearchTerm.Aspect.plain, code), (.lowercase, lowercased)].map { aspect, code in
            let (low, high) = Self.range(code + ";")
            return try term(
                parameter, aspects: [aspect], in: row, where: SQLFragment("c.code >= ? AND c.code < ?", [low, high]))
        }
        return .any([try coded(asked, of: parameter, in: row)] + below)
    }

    private func coded(
        _ asked: [(aspect: SearchTerm.Aspect, system: SearchComparand.System, code: String?)], of parameter: String,
        in row: String
    ) throws -> SQLFragment {
        let alternatives = asked.map { aspect, system, code in
            var conditions = [SQLFragment("c.parameter = ?", [SQLValue(parameter + aspect.rawValue)])]
            if let code { conditions.append(SQLFragment("c.code = ?", [SQLValue(code)])) }
            switch system {
            case .any: break
            case .none: conditions.append(SQLFragment("c.system = ''"))
            case .named(let name): conditions.append(SQLFragment("c.system = ?", [SQLValue(name)]))
            }
            return SQLFragment.all(conditions)
        }
        return try term(.any(alternatives), in: row)
    }

    /// Returns the predicate of a high-cardinality value, by its index key.
    private func keyed(_ comparand: SearchComparand, _ parameter: String) throws -> SearchPredicate {
        func rows(_ value: String, _ term: SQLFragment) -> SearchPredicate {
            // SQLite's index contains the whole digest after the term, PostgreSQL's its first bytes.
            let key = SearchIndex.key(of: value)
            let isKey = SQLFragment(
                "substr(e.print, 1, \(SearchIndex.keyPrefixLength)) = ? AND e.print = ?",
                [SQLValue(Data(SearchIndex.prefix(ofKey: key))), SQLValue(Data(key))])
            return .entries("record_print e", .all([isKey, term]))
        }
        switch comparand {
        case .token(let token):
            guard let code = token.code, let lowercased = token.lowercased else { return .never }
            return .some([
                rows(code, try coded([(.plain, token.system, nil)], of: parameter, in: "e")),
                rows(lowercased, try coded([(.lowercase, token.system, nil)], of: parameter, in: "e")),
            ])
        case .typed(let type, let value, let lowercased):
            let term = try coded([(.ofType, .named(type.system ?? ""), type.code)], of: parameter, in: "e")
            return .some([rows(value, term)] + (value == lowercased ? [] : [rows(lowercased, term)]))
        default: return .never
        }
    }

    // MARK: References and URIs

    private func reference(
        _ reference: SearchComparand.Reference, of parameter: String, in row: String
    ) throws -> SQLFragment {
        func aspect(_ aspect: SearchTerm.Aspect, _ conditions: [SQLFragment]) -> SQLFragment {
            .all([SQLFragment("c.parameter = ?", [SQLValue(parameter + aspect.rawValue)])] + conditions)
        }
        var found: [SQLFragment] = []
        if let id = reference.id {
            if reference.base == nil {
                let type = reference.type.map { [SQLFragment("c.system = ?", [SQLValue($0)])] } ?? []
                found.append(aspect(.plain, [SQLFragment("c.code = ?", [SQLValue(id)])] + type))
            }
            let bases = reference.base.map { [$0] } ?? reference.ownBases
            if !bases.isEmpty {
                let types = reference.type.map { [$0] } ?? [""] + asked.parameter.targets
                found.append(
                    aspect(
                        .remote,
                        [
                            .isOne("c.code", of: types.map { SQLValue($0 + "/" + id) }),
                            .isOne("c.system", of: bases.map { SQLValue($0) }),
                        ]))
            }
        }
        if let url = reference.url {
            var conditions = [SQLFragment("c.code = ?", [SQLValue(url)])]
            switch (reference.version, asked.modifier) {
            case (let version?, .below?):
                let (low, high) = Self.range(version)
                conditions.append(SQLFragment("c.system >= ? AND c.system < ?", [low, high]))
            case (let version?, _): conditions.append(SQLFragment("c.system = ?", [SQLValue(version)]))
            case (nil, _): break
            }
            found.append(aspect(.url, conditions))
        }
        return try term(.any(found), in: row)
    }

    /// <https://hl7.org/fhir/R4/search.html#uri>: `:above` and `:below` apply to paths, and URNs have none.
    private func uri(_ uri: String, of parameter: String, in row: String) throws -> SQLFragment {
        switch asked.modifier {
        case .below where !uri.hasPrefix("urn:"):
            let (low, high) = Self.range(uri)
            return try term(
                parameter, aspects: [.plain], in: row, where: SQLFragment("c.code >= ? AND c.code < ?", [low, high]))
        case .above where !uri.hasPrefix("urn:"):
            return try term(
                parameter, aspects: [.plain], in: row,
                where: .isOne("c.code", of: Self.prefixes(of: uri).map { SQLValue($0) }))
        default:
            return try term(parameter, aspects: [.plain], in: row, where: SQLFragment("c.code = ?", [SQLValue(uri)]))
        }
    }

    /// Returns the URI and its ancestors.
    private static func prefixes(of uri: String) -> [String] {
        let slash = UInt8(ascii: "/")
        var prefixes = [uri]
        for index in uri.utf8.indices where uri.utf8[index] == slash {
            prefixes.append(String(uri[..<index]))
            prefixes.append(String(uri[...index]))
        }
        return Array(Set(prefixes.filter { !$0.isEmpty })).sorted()
    }

    // MARK: Quantities

    private func quantity(
        _ prefix: SearchPrefix, _ quantity: SearchComparand.Quantity, of parameter: String, in row: String
    ) throws -> SQLFragment {
        let comparison = SearchBounds.compare(prefix, quantity.number, in: row, of: extent)
        switch quantity.unit {
        case .any: return .all([try term(parameter, aspects: [.plain], in: row), comparison])
        case .written(let text):
            let unit = SQLFragment("(c.code = ? OR c.display = ?)", [SQLValue(text), SQLValue(text)])
            return .all([try term(parameter, aspects: [.plain], in: row, where: unit), comparison])
        case .coded(let system, let code):
            guard let canonical = quantity.canonical else {
                let unit = SQLFragment("c.code = ? AND c.system = ?", [SQLValue(code), SQLValue(system)])
                return .all([try term(parameter, aspects: [.plain], in: row, where: unit), comparison])
            }
            return try self.quantity(prefix, canonical, system: system, of: parameter, in: row)
        }
    }

    /// Returns the condition on a quantity with a unit of UCUM, converted to each unit in the store.
    private func quantity(
        _ prefix: SearchPrefix, _ canonical: SearchQuantity.Canonical, system: String, of parameter: String,
        in row: String
    ) throws -> SQLFragment {
        var found: [SQLFragment] = []
        for known in try terms.terms(type: asked.type, parameter: parameter, system: system) {
            guard let ratio = SearchUnits.ratio(system: system, code: known.code), ratio.unit == canonical.unit,
                let converted = canonical.number.mapped({ ($0 / ratio.factor).reduced })
            else { continue }
            found.append(
                .all([
                    SQLFragment("\(row).term = ?", [SQLValue(known.number)]),
                    SearchBounds.compare(prefix, converted, in: row, of: extent),
                ]))
        }
        let special = try term(
            parameter, aspects: [.canonical], in: row, where: SQLFragment("c.code = ?", [SQLValue(canonical.unit)]))
        found.append(.all([special, SearchBounds.compare(prefix, canonical.number, in: row, of: extent)]))
        return .any(found)
    }

    // MARK: Texts

    /// Returns the bounds of the texts with a prefix. In UTF-8 no text has a byte of 0xF5 or more, so the largest
    /// scalar sorts after all texts.
    private static func range(_ begin: String) -> (low: SQLValue, high: SQLValue) {
        (SQLValue(begin), SQLValue(begin + "\u{10FFFF}\u{10FFFF}"))
    }

    /// Escapes the wildcards of `LIKE`.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for character in text.unicodeScalars {
            if character == "%" || character == "_" || character == "!" { output.unicodeScalars.append("!") }
            output.unicodeScalars.append(character)
        }
        return output
    }
}
