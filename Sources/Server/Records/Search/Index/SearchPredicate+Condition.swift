import Core
import FHIR
import Foundation
import Storage

extension SearchPredicate {
    /// What a condition asks of what is stored of a record of its type: the same that
    /// ``SearchCondition/matches(_:terminology:)`` asks of a resource's values.
    ///
    /// - Parameter terms: those of the store.
    /// - Throws: what the terms throw; ``SearchConditionError``.
    init(_ asked: SearchCondition, terms: any SearchTerms) throws {
        guard let layout = SearchLayout.of(asked.type), let place = layout.tree.place(of: asked.parameter.code) else {
            throw SearchConditionError.unknownParameter(asked.type)
        }
        let reader = SearchPredicateReader(asked: asked, layout: layout, terms: terms)
        let found = SearchPredicate.some(try asked.alternatives.map { try reader.predicate($0, place) })
        self = asked.modifier?.isNegation == true ? found.negated : found
    }
}

/// What of the store's terms a search depends on.
protocol SearchTerms {
    /// The terms of a parameter that have a system.
    func terms(type: String, parameter: String, system: String) throws -> [(number: Int64, code: String)]
    /// The numbers of the terms `c` of which a condition holds; nil where they are more than a limit.
    func numbers(where condition: SQLFragment, limit: Int) throws -> [Int64]?
}

/// Reads one condition, place by place.
struct SearchPredicateReader {
    let asked: SearchCondition
    let layout: SearchLayout
    let terms: any SearchTerms
    /// Of which numbers comparisons speak.
    private var extent = SearchBounds.Extent.any

    init(asked: SearchCondition, layout: SearchLayout, terms: any SearchTerms) {
        self.asked = asked
        self.layout = layout
        self.terms = terms
    }

    private func code(_ place: Int) -> String { layout.tree.parameters[place].code }

    // MARK: Places

    func predicate(_ comparand: SearchComparand, _ place: Int) throws -> SearchPredicate {
        if case .missing(let isMissing) = comparand {
            let present = try presence(place)
            return isMissing ? present.negated : present
        }
        switch layout.places[place] {
        case .id: return id(comparand)
        case .lastUpdated:
            guard case .date(let prefix, let period) = comparand else { return .never }
            let comparison = SearchedTime.update.compared(prefix, low: period.low, high: period.high)
            return .row(SQLFragment(comparison.condition, comparison.parameters))
        case .subject:
            let entries = try entries(comparand, code(place))
            guard let own = ownSubject(comparand) else { return entries }
            return .some([.every([.subject(own), try hasDiffering(place).negated]), entries])
        case .time:
            let entries = try entries(comparand, code(place))
            guard case .date(let prefix, let period) = comparand else { return entries }
            return .some([.time(prefix, period), entries])
        case .entries: return try entries(comparand, code(place))
        case .union(let places): return .some(try places.map { try predicate(comparand, $0) })
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
                    case .parameter(let place): try predicate(value, place)
                    case .entries(let index, let place):
                        try entries(value, SearchTerm.component(index, of: code(place)))
                    }
                })
        case .parts(let place):
            var tables = "record_part e"
            var conditions: [SQLFragment] = []
            for (index, value) in values.enumerated() {
                let row = index == 0 ? "e" : "e\(index)"
                if index > 0 {
                    tables += " JOIN record_part \(row) ON \(row).number = e.number AND \(row).part = e.part"
                }
                conditions.append(try part(value, SearchTerm.component(index, of: code(place)), row))
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

    /// The Patient's id that the row of the record may have; nil for what asks for something else.
    private func ownSubject(_ comparand: SearchComparand) -> String? {
        guard case .reference(let reference) = comparand, let id = reference.id, reference.base == nil,
            reference.type == nil || reference.type == Patient.resourceType
        else { return nil }
        return id
    }

    private func hasDiffering(_ place: Int) throws -> SearchPredicate {
        .entries("record_term e", try term(code(place), [.differing], "e"))
    }

    // MARK: Presence

    private func presence(_ place: Int) throws -> SearchPredicate {
        switch layout.places[place] {
        case .id, .lastUpdated, .composite: return .always
        case .entries: return try entryExists(place)
        case .subject:
            return .some([
                .every([.row(SQLFragment("r.subject IS NOT NULL")), try hasDiffering(place).negated]),
                try entryExists(place),
            ])
        case .time: return .some([.row(SQLFragment("r.date_low IS NOT NULL")), try entryExists(place)])
        case .union(let places): return .some(try places.map(presence))
        }
    }

    private func entryExists(_ place: Int) throws -> SearchPredicate {
        let tables: [String] =
            switch layout.tree.parameters[place].kind {
            case .string: ["record_text", "record_term"]
            case .date: ["record_time", "record_term"]
            case .number, .quantity: ["record_number", "record_term"]
            case .token: ["record_term", "record_print"]
            default: ["record_term"]
            }
        let aspects = SearchTerm.Aspect.allCases.filter { $0 != .differing }
        let condition = try term(code(place), aspects, "e")
        return .some(tables.map { .entries($0 + " e", condition) })
    }

    // MARK: Entries

    /// The records that have an entry under a parameter.
    private func entries(_ comparand: SearchComparand, _ parameter: String) throws -> SearchPredicate {
        let table: String
        switch comparand {
        case .begin, .part, .exact: table = "record_text"
        case .date: table = "record_time"
        case .number(.gt, _), .number(.ge, _), .number(.eb, _), .quantity(.gt, _), .quantity(.ge, _), .quantity(.eb, _):
            // By the greatest value, of which the few that are no single number have an index.
            return .some(
                try [SearchBounds.Extent.number, .range].map { extent in
                    var reader = self
                    reader.extent = extent
                    return .entries("record_number e", try reader.part(comparand, parameter, "e"))
                })
        case .number, .quantity: table = "record_number"
        case .typed: return try printed(comparand, parameter)
        case .codes(let codes) where SearchLayout.isOfItsOwn(parameter):
            return .some(
                try codes.codes.sorted().map { code in
                    let token = SearchComparand.Token(
                        system: .named(codes.system), code: code,
                        lowercased: SearchIndex.indexed(TokenCase.folded(code)))
                    return try printed(.token(token), parameter)
                })
        case .token(let token) where SearchLayout.isOfItsOwn(parameter) && token.code != nil:
            return try printed(comparand, parameter)
        case .token where SearchLayout.isOfItsOwn(parameter), .tokenText where SearchLayout.isOfItsOwn(parameter):
            // Of a system alone, or a text, the term says all, in either table.
            let condition = try part(comparand, parameter, "e")
            return .some([.entries("record_print e", condition), .entries("record_term e", condition)])
        default: table = "record_term"
        }
        return .entries(table + " e", try part(comparand, parameter, "e"))
    }

    /// The condition on a row of a table of entries, by its alias.
    private func part(_ comparand: SearchComparand, _ parameter: String, _ row: String) throws -> SQLFragment {
        switch comparand {
        case .token(let token): return try self.token(token, parameter, row)
        case .codes(let asked):
            return try term(
                .any(
                    [(SearchTerm.Aspect.plain, asked.codes), (.lowercase, asked.lowercased)].map { aspect, codes in
                        .all([
                            SQLFragment("c.parameter = ?", [SQLValue(parameter + aspect.rawValue)]),
                            SQLFragment("c.system = ?", [SQLValue(asked.system)]),
                            .isOne("c.code", of: codes.sorted().map { SQLValue($0) }),
                        ])
                    }), row)
        case .tokenText(let text):
            let (low, high) = Self.range(SearchTerm.shortened(text))
            return try term(
                parameter, [.plain, .lowercase], row, SQLFragment("c.display >= ? AND c.display < ?", [low, high]))
        case .begin(let text):
            let (low, high) = Self.range(text)
            return .all([
                try term(parameter, [.plain], row),
                SQLFragment("\(row).folded >= ? AND \(row).folded < ?", [low, high]),
            ])
        case .part(let text):
            return .all([
                try term(parameter, [.plain], row),
                SQLFragment("\(row).folded LIKE ? ESCAPE '!'", [SQLValue("%" + Self.escaped(text) + "%")]),
            ])
        case .exact(let text):
            var conditions = [try term(parameter, [.plain], row)]
            // A long text is there as its digest, of which nobody knows how it is folded.
            if !SearchIndex.isDigest(text), let folded = SearchString(text)?.folded {
                conditions.append(SQLFragment("\(row).folded = ?", [SQLValue(folded)]))
            }
            return .all(conditions + [SQLFragment("\(row).exact = ?", [SQLValue(text)])])
        case .date(let prefix, let period):
            let time = SearchedTime(low: row + ".low", high: row + ".high", duration: nil)
            let comparison = time.compared(prefix, low: period.low, high: period.high)
            return .all([
                try term(parameter, [.plain], row), SQLFragment(comparison.condition, comparison.parameters),
            ])
        case .number(let prefix, let number):
            return .all([try term(parameter, [.plain], row), SearchBounds.compare(prefix, number, row, of: extent)])
        case .quantity(let prefix, let quantity): return try self.quantity(prefix, quantity, parameter, row)
        case .reference(let reference): return try self.reference(reference, parameter, row)
        case .identifier(let token):
            var codes = [token.code]
            if token.lowercased != token.code { codes.append(token.lowercased) }
            return try coded(codes.map { (.identifier, token.system, $0) }, parameter, row)
        case .uri(let uri): return try self.uri(uri, parameter, row)
        case .typed, .valueSet, .missing, .composite: return .never
        }
    }

    // MARK: Terms

    /// So many terms are named; of more, the store is asked in the statement.
    private static let mostTerms = 20

    /// The rows whose term is one of a parameter's, and as a condition on it says.
    private func term(
        _ parameter: String, _ aspects: [SearchTerm.Aspect], _ row: String, _ condition: SQLFragment = .always
    ) throws -> SQLFragment {
        let names = aspects.map { SQLValue(parameter + $0.rawValue) }
        return try term(.all([.isOne("c.parameter", of: names), condition]), row)
    }

    /// The rows whose term is as a condition says.
    private func term(_ condition: SQLFragment, _ row: String) throws -> SQLFragment {
        guard !condition.isNever else { return .never }
        let whole = SQLFragment.all([SQLFragment("c.type = ?", [SQLValue(asked.type)]), condition])
        if let numbers = try terms.numbers(where: whole, limit: Self.mostTerms) {
            return .isOne(row + ".term", of: numbers.map { SQLValue($0) })
        }
        return SQLFragment(
            "\(row).term IN (SELECT c.number FROM search_term c WHERE \(whole.sql))", whole.parameters)
    }

    private func token(_ token: SearchComparand.Token, _ parameter: String, _ row: String) throws -> SQLFragment {
        var asked: [(SearchTerm.Aspect, SearchComparand.System, String?)] = [
            (.plain, token.system, token.code), (.lowercase, token.system, token.lowercased),
        ]
        if token.code == nil { asked = asked.map { ($0.0, $0.1, nil) } }
        guard self.asked.modifier == .below, let code = token.code, let lowercased = token.lowercased,
            code.utf8.contains(UInt8(ascii: "/"))
        else { return try coded(asked, parameter, row) }
        // A media type with parameters (<https://hl7.org/fhir/R4/search.html#mimetype>).
        let below = try [(SearchTerm.Aspect.plain, code), (.lowercase, lowercased)].map { aspect, code in
            let (low, high) = Self.range(code + ";")
            return try term(parameter, [aspect], row, SQLFragment("c.code >= ? AND c.code < ?", [low, high]))
        }
        return .any([try coded(asked, parameter, row)] + below)
    }

    private func coded(
        _ asked: [(aspect: SearchTerm.Aspect, system: SearchComparand.System, code: String?)], _ parameter: String,
        _ row: String
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
        return try term(.any(alternatives), row)
    }

    /// A value of a resource's own, by its print.
    private func printed(_ comparand: SearchComparand, _ parameter: String) throws -> SearchPredicate {
        func rows(_ value: String, _ term: SQLFragment) -> [SearchPredicate] {
            // SQLite's index has the whole of it behind the term, PostgreSQL's the beginning.
            SearchIndex.prints(of: value).map { print in
                let isPrint = SQLFragment(
                    "substr(e.print, 1, \(SearchIndex.printStart)) = ? AND e.print = ?",
                    [SQLValue(Data(SearchIndex.start(ofPrint: print))), SQLValue(Data(print))])
                return .entries("record_print e", .all([isPrint, term]))
            }
        }
        switch comparand {
        case .token(let token):
            guard let code = token.code, let lowercased = token.lowercased else { return .never }
            return .some(
                rows(code, try coded([(.plain, token.system, nil)], parameter, "e"))
                    + rows(lowercased, try coded([(.lowercase, token.system, nil)], parameter, "e")))
        case .typed(let type, let value, let lowercased):
            let term = try coded([(.ofType, .named(type.system ?? ""), type.code)], parameter, "e")
            return .some(rows(value, term) + (value == lowercased ? [] : rows(lowercased, term)))
        default: return .never
        }
    }

    // MARK: References and URIs

    private func reference(
        _ reference: SearchComparand.Reference, _ parameter: String, _ row: String
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
        return try term(.any(found), row)
    }

    /// <https://hl7.org/fhir/R4/search.html#uri>: above and below are about paths, which URNs do not have.
    private func uri(_ uri: String, _ parameter: String, _ row: String) throws -> SQLFragment {
        switch asked.modifier {
        case .below where !uri.hasPrefix("urn:"):
            let (low, high) = Self.range(uri)
            return try term(parameter, [.plain], row, SQLFragment("c.code >= ? AND c.code < ?", [low, high]))
        case .above where !uri.hasPrefix("urn:"):
            return try term(
                parameter, [.plain], row, .isOne("c.code", of: Self.prefixes(of: uri).map { SQLValue($0) }))
        default: return try term(parameter, [.plain], row, SQLFragment("c.code = ?", [SQLValue(uri)]))
        }
    }

    /// The URI and those that it is below.
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
        _ prefix: SearchPrefix, _ quantity: SearchComparand.Quantity, _ parameter: String, _ row: String
    ) throws -> SQLFragment {
        let comparison = SearchBounds.compare(prefix, quantity.number, row, of: extent)
        switch quantity.unit {
        case .any: return .all([try term(parameter, [.plain], row), comparison])
        case .written(let text):
            let unit = SQLFragment("(c.code = ? OR c.display = ?)", [SQLValue(text), SQLValue(text)])
            return .all([try term(parameter, [.plain], row, unit), comparison])
        case .coded(let system, let code):
            guard let canonical = quantity.canonical else {
                let unit = SQLFragment("c.code = ? AND c.system = ?", [SQLValue(code), SQLValue(system)])
                return .all([try term(parameter, [.plain], row, unit), comparison])
            }
            return try self.quantity(prefix, canonical, system, parameter, row)
        }
    }

    /// What is asked for in a unit of UCUM, converted to each unit that the store has.
    private func quantity(
        _ prefix: SearchPrefix, _ canonical: SearchQuantity.Canonical, _ system: String, _ parameter: String,
        _ row: String
    ) throws -> SQLFragment {
        var found: [SQLFragment] = []
        for known in try terms.terms(type: asked.type, parameter: parameter, system: system) {
            guard let ratio = SearchUnits.ratio(system: system, code: known.code), ratio.unit == canonical.unit,
                let converted = canonical.number.mapped({ ($0 / ratio.factor).reduced })
            else { continue }
            found.append(
                .all([
                    SQLFragment("\(row).term = ?", [SQLValue(known.number)]),
                    SearchBounds.compare(prefix, converted, row, of: extent),
                ]))
        }
        let special = try term(
            parameter, [.canonical], row, SQLFragment("c.code = ?", [SQLValue(canonical.unit)]))
        found.append(.all([special, SearchBounds.compare(prefix, canonical.number, row, of: extent)]))
        return .any(found)
    }

    // MARK: Texts

    /// The texts that begin with one: from the first, up to the one behind the last. By bytes no text of UTF-8 has a byte of
    /// 0xF5 or more, so the largest scalar stands behind all.
    private static func range(_ begin: String) -> (low: SQLValue, high: SQLValue) {
        (SQLValue(begin), SQLValue(begin + "\u{10FFFF}\u{10FFFF}"))
    }

    /// A text in which `LIKE` finds no wildcard.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for character in text.unicodeScalars {
            if character == "%" || character == "_" || character == "!" { output.unicodeScalars.append("!") }
            output.unicodeScalars.append(character)
        }
        return output
    }
}
