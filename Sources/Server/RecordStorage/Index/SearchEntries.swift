import Core
import FHIR
import FHIRSearch
import Foundation
import UCUM

/// All index entries of a resource, except the values in its record's row. Pure.
struct SearchEntries: Sendable {
    /// The entries without duplicates, in the order of the resource.
    let entries: [SearchEntry]
    /// The time in the record's row, half open; nil where the resource has no time, or several.
    let time: SearchPeriod?

    /// - Parameter subject: the Patient's id in the row of the record.
    init(_ values: SearchValues, _ layout: SearchLayout, subject: String?) {
        var builder = Builder(values: values, layout: layout, subject: subject)
        builder.build()
        self.init(entries: builder.entries, time: builder.time)
    }

    /// Creates the entries of a resource; none for a type that R4 does not have.
    ///
    /// - Parameter subject: the Patient's id in the row of the record.
    init(of resource: Resource, subject: String?) {
        guard let values = SearchValues(indexing: resource), let layout = SearchLayout.of(resource.resourceType) else {
            self.init(entries: [], time: nil)
            return
        }
        self.init(values, layout, subject: subject)
    }

    private init(entries: [SearchEntry], time: SearchPeriod?) {
        self.entries = entries
        self.time = time
    }

    private struct Builder {
        let values: SearchValues
        let layout: SearchLayout
        let subject: String?
        var entries: [SearchEntry] = []
        var time: SearchPeriod?
        private var seen: Set<SearchEntry> = []
        /// The parameters with entries.
        private var written: Set<Int> = []
        private lazy var all = Set(values.entries)
        /// The number of composite values so far.
        private var parts = 0

        private var tree: ParameterPathTrie { layout.tree }

        init(values: SearchValues, layout: SearchLayout, subject: String?) {
            self.values = values
            self.layout = layout
            self.subject = subject
        }

        mutating func build() {
            // 1. Parameters whose location depends on all of their values.
            for (number, location) in layout.locations.enumerated() {
                let own = { (values: SearchValues) in values.entries.lazy.filter { $0.parameter == number }.map(\.value)
                }
                switch location {
                case .time where values.present[number]: addTimes(number, Set(own(values)))
                case .subject where values.present[number] || subject != nil:
                    addSubjects(number, Array(own(values)))
                default: continue
                }
            }
            // 2. All other values, in their order.
            for entry in values.entries {
                switch layout.locations[entry.parameter] {
                case .entries: add(entry.value, entry.parameter)
                case .composite(let ways): add(entry.value, entry.parameter, by: ways)
                default: continue
                }
            }
            // 3. Values that exist but cannot be searched for.
            for (number, isPresent) in values.present.enumerated() where isPresent && !written.contains(number) {
                switch layout.locations[number] {
                case .entries: append(.term(term(number, .present)), number)
                case .time where time == nil: append(.term(term(number, .present)), number)
                case .subject where !isSubjectAlone(number): append(.term(term(number, .present)), number)
                default: continue
                }
            }
        }

        private func code(_ number: Int) -> String { tree.parameters[number].code }

        private func term(_ number: Int, _ aspect: SearchTerm.Aspect = .plain) -> SearchTerm {
            SearchTerm(type: tree.type, parameter: code(number), aspect)
        }

        private mutating func append(_ entry: SearchEntry, _ number: Int) {
            written.insert(number)
            if seen.insert(entry).inserted { entries.append(entry) }
        }

        // MARK: Values in the record's row

        private mutating func addTimes(_ number: Int, _ values: Set<SearchValue>) {
            if values.count == 1, case .date(let period)? = values.first {
                time = period
                return
            }
            for value in self.values.entries where value.parameter == number { add(value.value, number) }
        }

        private var plainSubject: SearchValue? {
            subject.flatMap { SearchReference(literal: "Patient/" + $0) }.map(SearchValue.reference)
        }

        private func isSubjectAlone(_ number: Int) -> Bool {
            guard let plainSubject, values.present[number] else { return false }
            return values.entries.lazy.filter { $0.parameter == number }.allSatisfy { $0.value == plainSubject }
                && values.entries.contains { $0.parameter == number }
        }

        private mutating func addSubjects(_ number: Int, _ values: [SearchValue]) {
            guard !isSubjectAlone(number) else { return }
            for value in values { add(value, number) }
            // The row has a subject that is not a value of this parameter.
            if subject != nil {
                let wasWritten = written.contains(number)
                append(.term(term(number, .differing)), number)
                if !wasWritten { written.remove(number) }
            }
        }

        // MARK: Entries

        private mutating func add(_ value: SearchValue, _ number: Int) {
            for entry in SearchEntryMaker(type: tree.type, parameter: code(number)).entries(of: value) {
                append(entry, number)
            }
        }

        private mutating func add(_ value: SearchValue, _ number: Int, by ways: [SearchLayout.Way]) {
            guard case .composite(let values) = value else { return }
            for way in ways {
                switch way {
                case .parts(number): if !isFoundTogether(values, ways) { addParts(value, number) }
                case .together(let components):
                    for case .entries(let index, of: number) in components where values.indices.contains(index) {
                        let name = SearchTerm.component(index, of: code(number))
                        for entry in SearchEntryMaker(type: tree.type, parameter: name).entries(of: values[index]) {
                            append(entry, number)
                        }
                    }
                case .parts: continue
                }
            }
        }

        /// Whether the parameters of the components find each of the values already, in any combination.
        private mutating func isFoundTogether(_ parts: [SearchValue], _ ways: [SearchLayout.Way]) -> Bool {
            for case .together(let components) in ways where components.count == parts.count {
                let isFound = zip(components, parts).allSatisfy { component, value in
                    guard case .parameter(let index) = component else { return false }
                    return all.contains(SearchValues.Entry(parameter: index, value: value))
                }
                if isFound { return true }
            }
            return false
        }

        private mutating func addParts(_ value: SearchValue, _ number: Int) {
            guard case .composite(let values) = value else { return }
            var found: [SearchEntry] = []
            for (index, value) in values.enumerated() {
                let maker = SearchEntryMaker(
                    type: tree.type, parameter: SearchTerm.component(index, of: code(number)))
                let terms = maker.parts(of: value, parts)
                // A composite value without one of its components is not indexed.
                guard !terms.isEmpty else { return }
                found += terms
            }
            for entry in found { append(entry, number) }
            parts += 1
        }
    }
}
