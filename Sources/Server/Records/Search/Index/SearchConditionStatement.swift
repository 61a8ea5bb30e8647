import Core
import FHIR
import Foundation
import Storage

/// A search condition as SQL about the row `r` of a record of the condition's type. Names and operators are ours; every
/// value goes through a parameter.
///
/// It says of what is stored what ``SearchCondition/matches(_:terminology:)`` says of a resource's values.
struct SearchConditionStatement {
    /// What of the store's terms a statement depends on.
    protocol Terms {
        /// The terms of a parameter that have a system.
        func terms(type: String, parameter: String, system: String) throws -> [(number: Int64, code: String)]
    }

    private(set) var condition = ""
    private(set) var parameters: [SQLValue] = []

    private let asked: SearchCondition
    private let layout: SearchLayout
    private let terms: any Terms

    /// - Throws: what the terms throw; ``SearchConditionError``.
    init(_ asked: SearchCondition, terms: any Terms) throws {
        guard let layout = SearchLayout.of(asked.type), let place = layout.tree.place(of: asked.parameter.code) else {
            throw SearchConditionError.unknownParameter(asked.type)
        }
        self.asked = asked
        self.layout = layout
        self.terms = terms
        var alternatives: [String] = []
        for comparand in asked.alternatives { alternatives.append(try sql(comparand, place)) }
        let any = "(" + alternatives.joined(separator: " OR ") + ")"
        condition = asked.modifier?.isNegation == true ? "NOT " + any : any
    }

    static let never = "1 = 0"
    static let always = "1 = 1"

    private mutating func bind(_ values: SQLValue...) { parameters += values }

    private func code(_ place: Int) -> String { layout.tree.parameters[place].code }

    // MARK: Places

    private mutating func sql(_ comparand: SearchComparand, _ place: Int) throws -> String {
        if case .missing(let isMissing) = comparand {
            let present = presence(place)
            return isMissing ? "NOT \(present)" : present
        }
        switch layout.places[place] {
        case .id: return id(comparand)
        case .lastUpdated:
            guard case .date(let prefix, let period) = comparand else { return Self.never }
            return compare(prefix, period, with: .update)
        case .subject:
            let entries = try entries(comparand, code(place))
            guard let own = ownSubject(comparand) else { return entries }
            bind(SQLValue(own))
            return "(\(entries) OR (r.subject = ? AND \(hasDiffering(place, isNegated: true))))"
        case .time:
            let entries = try entries(comparand, code(place))
            guard case .date(let prefix, let period) = comparand else { return entries }
            return "(\(entries) OR r.number IN (\(dated(prefix, period))))"
        case .entries: return try entries(comparand, code(place))
        case .union(let places):
            var parts: [String] = []
            for place in places { parts.append(try sql(comparand, place)) }
            return "(" + parts.joined(separator: " OR ") + ")"
        case .composite(let ways):
            guard case .composite(let values) = comparand else { return Self.never }
            var found: [String] = []
            for way in ways { found.append(try sql(values, way)) }
            return found.isEmpty ? Self.never : "(" + found.joined(separator: " OR ") + ")"
        }
    }

    private mutating func sql(_ values: [SearchComparand], _ way: SearchLayout.Way) throws -> String {
        switch way {
        case .together(let components):
            guard components.count == values.count else { return Self.never }
            var all: [String] = []
            for (value, component) in zip(values, components) {
                switch component {
                case .parameter(let place): all.append(try sql(value, place))
                case .entries(let index, let place):
                    all.append(try entries(value, SearchTerm.component(index, of: code(place))))
                }
            }
            return "(" + all.joined(separator: " AND ") + ")"
        case .parts(let place):
            var sql = "r.number IN (SELECT e0.number FROM record_part e0"
            var conditions: [String] = []
            for index in values.indices.dropFirst() {
                sql += " JOIN record_part e\(index) ON e\(index).number = e0.number AND e\(index).part = e0.part"
            }
            for (index, value) in values.enumerated() {
                let name = SearchTerm.component(index, of: code(place))
                conditions.append(try part(value, name, "e\(index)"))
            }
            return sql + " WHERE " + conditions.joined(separator: " AND ") + ")"
        }
    }

    private mutating func id(_ comparand: SearchComparand) -> String {
        guard case .token(let token) = comparand, let code = token.code else { return Self.never }
        if case .named = token.system { return Self.never }
        bind(SQLValue(code))
        return "r.id = ?"
    }

    // MARK: The record's subject

    /// The Patient's id that the row of the record may have; nil for what asks for something else.
    private func ownSubject(_ comparand: SearchComparand) -> String? {
        guard case .reference(let reference) = comparand, let id = reference.id, reference.base == nil,
            reference.type == nil || reference.type == Patient.resourceType
        else { return nil }
        return id
    }

    private mutating func hasDiffering(_ place: Int, isNegated: Bool) -> String {
        bind(SQLValue(asked.type), SQLValue(code(place) + SearchTerm.Aspect.differing.rawValue))
        return (isNegated ? "NOT " : "")
            + "EXISTS (SELECT 1 FROM record_term e JOIN search_term c ON c.number = e.term"
            + " WHERE e.number = r.number AND c.type = ? AND c.parameter = ?)"
    }

    // MARK: Presence

    private mutating func presence(_ place: Int) -> String {
        switch layout.places[place] {
        case .id, .lastUpdated, .composite: return Self.always
        case .entries: return "(" + entryExists(place) + ")"
        case .subject:
            let entry = entryExists(place)
            return "(\(entry) OR (r.subject IS NOT NULL AND \(hasDiffering(place, isNegated: true))))"
        case .time: return "(r.date_low IS NOT NULL OR " + entryExists(place) + ")"
        case .union(let places):
            var parts: [String] = []
            for place in places { parts.append(presence(place)) }
            return "(" + parts.joined(separator: " OR ") + ")"
        }
    }

    private mutating func entryExists(_ place: Int) -> String {
        let tables: [String] =
            switch layout.tree.parameters[place].kind {
            case .string: ["record_text", "record_term"]
            case .date: ["record_time", "record_term"]
            case .number, .quantity: ["record_number", "record_term"]
            case .token: ["record_term", "record_print"]
            default: ["record_term"]
            }
        let aspects = SearchTerm.Aspect.allCases.filter { $0 != .differing }
        return tables.map { table in
            parameters.append(SQLValue(asked.type))
            parameters += aspects.map { SQLValue(code(place) + $0.rawValue) }
            let places = repeatElement("?", count: aspects.count).joined(separator: ", ")
            return "EXISTS (SELECT 1 FROM \(table) e JOIN search_term c ON c.number = e.term"
                + " WHERE e.number = r.number AND c.type = ? AND c.parameter IN (\(places)))"
        }.joined(separator: " OR ")
    }

    // MARK: Entries

    /// The records that have an entry under a parameter.
    private mutating func entries(_ comparand: SearchComparand, _ parameter: String) throws -> String {
        let table: String
        switch comparand {
        case .begin, .part, .exact: table = "record_text"
        case .date: table = "record_time"
        case .number, .quantity: table = "record_number"
        case .typed: return printed(comparand, parameter)
        case .token(let token) where SearchLayout.isOfItsOwn(parameter) && token.code != nil:
            return printed(comparand, parameter)
        case .token where SearchLayout.isOfItsOwn(parameter), .tokenText where SearchLayout.isOfItsOwn(parameter):
            // Of a system alone, or a text, the term says all, in either table.
            let print = try part(comparand, parameter, "e")
            let term = try part(comparand, parameter, "e")
            return "(r.number IN (SELECT e.number FROM record_print e WHERE \(print))"
                + " OR r.number IN (SELECT e.number FROM record_term e WHERE \(term)))"
        default: table = "record_term"
        }
        return "r.number IN (SELECT e.number FROM \(table) e WHERE \(try part(comparand, parameter, "e")))"
    }

    /// The condition on a row of a table of entries, by its alias.
    private mutating func part(_ comparand: SearchComparand, _ parameter: String, _ row: String) throws -> String {
        switch comparand {
        case .token(let token): return self.token(token, parameter, row)
        case .tokenText(let text):
            let (low, high) = Self.range(SearchTerm.shortened(text))
            return term(parameter, [.plain, .lowercase], row, "c.display >= ? AND c.display < ?", [low, high])
        case .begin(let text):
            let (low, high) = Self.range(text)
            let term = term(parameter, [.plain], row)
            bind(low, high)
            return "\(term) AND \(row).folded >= ? AND \(row).folded < ?"
        case .part(let text):
            let term = term(parameter, [.plain], row)
            bind(SQLValue("%" + Self.escaped(text) + "%"))
            return "\(term) AND \(row).folded LIKE ? ESCAPE '!'"
        case .exact(let text):
            let term = term(parameter, [.plain], row)
            // A long text is there as its digest, of which nobody knows how it is folded.
            guard !SearchIndex.isDigest(text), let folded = SearchString(text)?.folded else {
                bind(SQLValue(text))
                return "\(term) AND \(row).exact = ?"
            }
            bind(SQLValue(folded), SQLValue(text))
            return "\(term) AND \(row).folded = ? AND \(row).exact = ?"
        case .date(let prefix, let period):
            let term = term(parameter, [.plain], row)
            let time = SearchedTime(low: row + ".low", high: row + ".high", duration: nil)
            return "\(term) AND \(compare(prefix, period, with: time))"
        case .number(let prefix, let number):
            let term = term(parameter, [.plain], row)
            return "\(term) AND \(compare(prefix, number, row))"
        case .quantity(let prefix, let quantity): return try self.quantity(prefix, quantity, parameter, row)
        case .reference(let reference): return self.reference(reference, parameter, row)
        case .identifier(let token):
            return coded(token.system, token.code, parameter, [.identifier], row)
        case .uri(let uri): return self.uri(uri, parameter, row)
        case .typed, .valueSet, .missing, .composite: return Self.never
        }
    }

    /// The rows whose term is one of a parameter's, and as a condition on it says.
    private mutating func term(
        _ parameter: String, _ aspects: [SearchTerm.Aspect], _ row: String, _ condition: String = "",
        _ values: [SQLValue] = []
    ) -> String {
        parameters.append(SQLValue(asked.type))
        parameters += aspects.map { SQLValue(parameter + $0.rawValue) }
        parameters += values
        let names =
            aspects.count == 1
            ? "= ?" : "IN (" + repeatElement("?", count: aspects.count).joined(separator: ", ") + ")"
        return "\(row).term IN (SELECT c.number FROM search_term c WHERE c.type = ? AND c.parameter \(names)"
            + (condition.isEmpty ? "" : " AND " + condition) + ")"
    }

    // MARK: Tokens

    private mutating func token(_ token: SearchComparand.Token, _ parameter: String, _ row: String) -> String {
        let plain = coded(token.system, token.code, parameter, [.plain], row)
        guard token.code != nil else {
            return "(\(plain) OR \(coded(token.system, nil, parameter, [.lowercase], row)))"
        }
        let lower = coded(token.system, token.lowercased, parameter, [.lowercase], row)
        guard asked.modifier == .below, let code = token.code, code.utf8.contains(UInt8(ascii: "/")) else {
            return "(\(plain) OR \(lower))"
        }
        // A media type with parameters (<https://hl7.org/fhir/R4/search.html#mimetype>).
        let (low, high) = Self.range(code + ";")
        let below = term(parameter, [.plain, .lowercase], row, "c.code >= ? AND c.code < ?", [low, high])
        return "(\(plain) OR \(lower) OR \(below))"
    }

    private mutating func coded(
        _ system: SearchComparand.System, _ code: String?, _ parameter: String, _ aspects: [SearchTerm.Aspect],
        _ row: String
    ) -> String {
        var conditions: [String] = []
        var values: [SQLValue] = []
        if let code {
            conditions.append("c.code = ?")
            values.append(SQLValue(code))
        }
        switch system {
        case .any: break
        case .none: conditions.append("c.system = ''")
        case .named(let name):
            conditions.append("c.system = ?")
            values.append(SQLValue(name))
        }
        return term(parameter, aspects, row, conditions.joined(separator: " AND "), values)
    }

    /// A value of a resource's own, by its print.
    private mutating func printed(_ comparand: SearchComparand, _ parameter: String) -> String {
        func rows(_ statement: inout Self, _ value: String, _ condition: (inout Self) -> String) -> String {
            // SQLite's index has the whole of it, PostgreSQL's the beginning.
            let print = SearchIndex.print(of: value)
            statement.bind(SQLValue(Data(SearchIndex.start(ofPrint: print))), SQLValue(Data(print)))
            return "r.number IN (SELECT e.number FROM record_print e"
                + " WHERE substr(e.print, 1, \(SearchIndex.printStart)) = ? AND e.print = ?"
                + " AND \(condition(&statement)))"
        }
        switch comparand {
        case .token(let token):
            guard let code = token.code, let lowercased = token.lowercased else { return Self.never }
            let plain = rows(&self, code) { $0.coded(token.system, nil, parameter, [.plain], "e") }
            let lower = rows(&self, lowercased) { $0.coded(token.system, nil, parameter, [.lowercase], "e") }
            return "(\(plain) OR \(lower))"
        case .typed(let type, let value):
            return rows(&self, value) {
                $0.coded(.named(type.system ?? ""), type.code, parameter, [.ofType], "e")
            }
        default: return Self.never
        }
    }

    // MARK: References and URIs

    private mutating func reference(
        _ reference: SearchComparand.Reference, _ parameter: String, _ row: String
    ) -> String {
        var found: [String] = []
        if let id = reference.id {
            let types = reference.type.map { [$0] } ?? [""] + asked.parameter.targets
            let codes = types.map { SQLValue($0 + "/" + id) }
            let places = repeatElement("?", count: codes.count).joined(separator: ", ")
            let bases = reference.base.map { [$0] } ?? reference.ownBases
            if reference.base == nil {
                let type = reference.type.map { [SQLValue($0)] } ?? []
                found.append(
                    term(
                        parameter, [.plain], row, "c.code = ?" + (type.isEmpty ? "" : " AND c.system = ?"),
                        [SQLValue(id)] + type))
            }
            if !bases.isEmpty {
                let systems = repeatElement("?", count: bases.count).joined(separator: ", ")
                found.append(
                    term(
                        parameter, [.remote], row, "c.code IN (\(places)) AND c.system IN (\(systems))",
                        codes + bases.map { SQLValue($0) }))
            }
        }
        if let url = reference.url {
            switch (reference.version, asked.modifier) {
            case (let version?, .below?):
                let (low, high) = Self.range(version)
                found.append(
                    term(
                        parameter, [.url], row, "c.code = ? AND c.system >= ? AND c.system < ?",
                        [SQLValue(url), low, high]))
            case (let version?, _):
                found.append(
                    term(parameter, [.url], row, "c.code = ? AND c.system = ?", [SQLValue(url), SQLValue(version)]))
            case (nil, _): found.append(term(parameter, [.url], row, "c.code = ?", [SQLValue(url)]))
            }
        }
        return found.isEmpty ? Self.never : "(" + found.joined(separator: " OR ") + ")"
    }

    /// <https://hl7.org/fhir/R4/search.html#uri>: above and below are about paths, which URNs do not have.
    private mutating func uri(_ uri: String, _ parameter: String, _ row: String) -> String {
        switch asked.modifier {
        case .below where !uri.hasPrefix("urn:"):
            let (low, high) = Self.range(uri)
            return term(parameter, [.plain], row, "c.code >= ? AND c.code < ?", [low, high])
        case .above where !uri.hasPrefix("urn:"):
            let values = Self.prefixes(of: uri).map { SQLValue($0) }
            let places = repeatElement("?", count: values.count).joined(separator: ", ")
            return term(parameter, [.plain], row, "c.code IN (\(places))", values)
        default: return term(parameter, [.plain], row, "c.code = ?", [SQLValue(uri)])
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

    // MARK: Numbers and quantities

    private mutating func quantity(
        _ prefix: SearchPrefix, _ quantity: SearchComparand.Quantity, _ parameter: String, _ row: String
    ) throws -> String {
        switch quantity.unit {
        case .any:
            let term = term(parameter, [.plain], row)
            return "\(term) AND \(compare(prefix, quantity.number, row))"
        case .written(let text):
            let term = term(
                parameter, [.plain], row, "(c.code = ? OR c.display = ?)", [SQLValue(text), SQLValue(text)])
            return "\(term) AND \(compare(prefix, quantity.number, row))"
        case .coded(let system, let code):
            guard let canonical = quantity.canonical else {
                let term = term(
                    parameter, [.plain], row, "c.code = ? AND c.system = ?", [SQLValue(code), SQLValue(system)])
                return "\(term) AND \(compare(prefix, quantity.number, row))"
            }
            return try self.quantity(prefix, quantity.number, canonical, (system, code), parameter, row)
        }
    }

    /// What is asked for in a unit of UCUM, converted to each unit that the store has.
    private mutating func quantity(
        _ prefix: SearchPrefix, _ number: SearchNumber, _ canonical: SearchQuantity.Canonical,
        _ unit: (system: String, code: String), _ parameter: String, _ row: String
    ) throws -> String {
        var found: [String] = []
        for known in try terms.terms(type: asked.type, parameter: parameter, system: unit.system) {
            guard let ratio = SearchUnits.ratio(system: unit.system, code: known.code), ratio.unit == canonical.unit,
                let converted = canonical.number.mapped({ ($0 / ratio.factor).reduced })
            else { continue }
            bind(SQLValue(known.number))
            found.append("(\(row).term = ? AND \(compare(prefix, converted, row)))")
        }
        let special = term(parameter, [.canonical], row, "c.code = ?", [SQLValue(canonical.unit)])
        found.append("(\(special) AND \(compare(prefix, canonical.number, row)))")
        return "(" + found.joined(separator: " OR ") + ")"
    }

    /// <https://hl7.org/fhir/R4/search.html#number>, as ``SearchNumber/matches(_:_:)`` compares.
    private mutating func compare(_ prefix: SearchPrefix, _ asked: SearchNumber, _ row: String) -> String {
        guard asked.low != nil, asked.high != nil, asked.implicitLow != nil, asked.implicitHigh != nil else {
            return Self.never
        }
        let bounds = SearchBounds(asked)
        let (low, high) = (SQLValue(bounds.low), SQLValue(bounds.high))
        let (begin, end) = (SQLValue(bounds.implicitLow), SQLValue(bounds.implicitHigh))
        switch prefix {
        case .eq, .ne:
            bind(begin, end, end)
            let isInside =
                "(\(row).implicit_low >= ? AND (\(row).implicit_high < ?"
                + " OR (\(row).implicit_high = ? AND \(row).high <> \(row).implicit_high)))"
            return prefix == .eq ? isInside : "NOT " + isInside
        case .gt:
            bind(high)
            return "\(row).high > ?"
        case .lt:
            bind(low)
            return "\(row).low < ?"
        case .ge:
            bind(high)
            return "\(row).high >= ?"
        case .le:
            bind(low)
            return "\(row).low <= ?"
        case .sa:
            bind(high)
            return "\(row).low > ?"
        case .eb:
            bind(low)
            return "\(row).high < ?"
        case .ap:
            bind(end, begin)
            return "(\(row).implicit_low < ? AND \(row).implicit_high > ?)"
        }
    }

    // MARK: Times

    /// The numbers of the records whose time compares so: of those that last a day at most, which are found by when they
    /// begin, and of the few others, which have an index by when they end.
    private mutating func dated(_ prefix: SearchPrefix, _ period: SearchPeriod) -> String {
        var parts: [String] = []
        for (time, condition) in [(SearchedTime.day, SearchedTime.isDay), (.long, SearchedTime.isLong)] {
            bind(SQLValue(asked.type))
            parts.append(
                "SELECT d.number FROM record d WHERE d.type = ? AND \(condition) AND "
                    + compare(prefix, period, with: time))
        }
        return parts.joined(separator: " UNION ALL ")
    }

    private mutating func compare(_ prefix: SearchPrefix, _ period: SearchPeriod, with time: SearchedTime) -> String {
        let comparison = time.compared(prefix, low: period.low, high: period.high)
        parameters += comparison.parameters
        return comparison.condition
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
