import FHIR

extension HealthTypeTable {
    /// Returns the table with a study's additions and changes: `{"types": [{"identifier": …, "title": …}]}`. An entry
    /// for an existing type replaces the members that it contains; other identifiers are new types.
    /// docs/health-types.md describes the format.
    ///
    /// - Throws: the fault and its path. A file with a fault changes nothing.
    public func applying(supplement: JSON) throws(HealthTypeTableError) -> HealthTypeTable {
        let members = try SupplementValue(json: supplement, path: "").members(["types"])
        guard let list = members["types"] else {
            throw HealthTypeTableError(.memberMissing, at: "types", "The list of types is expected here.")
        }
        var types = all
        var seen: Set<String> = []
        for element in try list.elements() {
            let row = try SupplementRow(element)
            guard seen.insert(row.identifier).inserted else {
                throw element.fault(.identifierRepeated, "The type occurs twice in the file.")
            }
            if let index = types.firstIndex(where: { $0.identifier == row.identifier }) {
                types[index] = try row.changed(types[index])
            } else {
                types.append(try row.added())
            }
        }
        let quantities = Dictionary(uniqueKeysWithValues: types.map { ($0.identifier, $0) })
        return HealthTypeTable(
            types.map { type in
                // A correlation uses the changed measures of its members.
                guard type.kind == .correlation else { return type }
                return type.with(
                    components: type.components.map { component in
                        HealthComponent(
                            identifier: component.identifier,
                            measure: quantities[component.identifier]?.measure ?? component.measure)
                    })
            })
    }
}

/// One type of a supplement.
private struct SupplementRow {
    let identifier: String
    private let element: SupplementValue
    private let members: [String: SupplementValue]

    init(_ element: SupplementValue) throws(HealthTypeTableError) {
        self.element = element
        members = try element.members([
            "identifier", "kind", "title", "folder", "category", "aggregation", "codings", "unit", "plausible",
            "options",
        ])
        guard let name = members["identifier"] else {
            throw element.fault(.memberMissing, "A type needs an identifier.")
        }
        identifier = try name.text()
        guard identifier.utf8.count <= 200, identifier.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw name.fault(.valueInvalid, "An identifier has up to 200 printable ASCII characters without spaces.")
        }
    }

    /// Returns the type of the table with the changes of the supplement.
    func changed(_ type: HealthType) throws(HealthTypeTableError) -> HealthType {
        if let kind = members["kind"], try kind.name(HealthType.Kind.self) != type.kind {
            throw kind.fault(.memberNotOfKind, "The kind of a type of HealthKit cannot be changed.")
        }
        return try made(kind: type.kind, before: type)
    }

    func added() throws(HealthTypeTableError) -> HealthType {
        guard let value = members["kind"] else {
            throw element.fault(.memberMissing, "A new type needs a kind: quantity or category.")
        }
        let kind = try value.name(HealthType.Kind.self)
        guard kind == .quantity || kind == .category else {
            throw value.fault(.valueInvalid, "A new type is a quantity or a category.")
        }
        guard members["title"] != nil else { throw element.fault(.memberMissing, "A new type needs a title.") }
        if kind == .quantity, members["unit"] == nil {
            throw element.fault(.memberMissing, "A new quantity needs a unit.")
        }
        guard members["codings"] != nil || identifier.hasPrefix("HK") else {
            throw element.fault(.memberMissing, "A new type that is not HealthKit's needs codings.")
        }
        return try made(kind: kind, before: nil)
    }

    private func made(kind: HealthType.Kind, before: HealthType?) throws(HealthTypeTableError) -> HealthType {
        let title = try members["title"]?.text() ?? before?.title ?? identifier
        let codings = try codings(title, before)
        let unit = try only(.quantity, member: "unit", of: kind)?.unit(before: before?.measure, identifier: identifier)
        let plausible = try only(.quantity, member: "plausible", of: kind)?.range()
        let aggregation = try only(.quantity, member: "aggregation", of: kind)?.name(HealthType.Aggregation.self)
        let options = try only(.category, member: "options", of: kind)?.options() ?? before?.options ?? []
        var measure: HealthMeasure?
        if let own = unit ?? before?.measure.map({ ($0.unit, $0.healthKitUnit) }) {
            // A range in the previous unit would have another meaning in the new unit.
            let kept = unit.map { $0.0 == before?.measure?.unit } ?? true
            measure = HealthMeasure(
                title: title, codings: codings, unit: own.0, healthKitUnit: own.1,
                plausible: plausible ?? (kept ? before?.measure?.plausible : nil))
        }
        let valueKind: HealthType.ValueKind =
            switch kind {
            case .quantity: .quantity
            case .category: options.isEmpty ? .event : .concept
            default: before?.valueKind ?? .components
            }
        return HealthType(
            identifier, kind, title: title, folder: try members["folder"]?.text() ?? before?.folder ?? "Study",
            category: try members["category"]?.name(HealthType.Category.self) ?? before?.category ?? .survey,
            aggregation: aggregation ?? before?.aggregation ?? .discrete, valueKind: valueKind, codings: codings,
            measure: measure,
            components: before?.components ?? [], options: options, otherNames: before?.otherNames ?? [],
            correlation: before?.correlation, message: before?.message,
            exampleText: unit == nil ? before?.exampleText : nil)
    }

    /// Returns the codings of the supplement, or the previous ones. HealthKit's own coding is always the last, with the
    /// current title.
    private func codings(_ title: String, _ before: HealthType?) throws(HealthTypeTableError) -> [Coding] {
        var codings = try members["codings"]?.codings() ?? before?.codings ?? []
        codings.removeAll { $0.system == HealthCodeSystem.healthKit }
        let isHealthKit = before != nil || identifier.hasPrefix("HK")
        if isHealthKit { codings.append(HealthType.ownCoding(identifier, title)) }
        guard !codings.isEmpty else { throw element.fault(.memberMissing, "A type needs a coding.") }
        return codings
    }

    /// Returns a member that only one kind of type can have.
    private func only(
        _ wanted: HealthType.Kind, member name: String, of kind: HealthType.Kind
    ) throws(HealthTypeTableError) -> SupplementValue? {
        guard let value = members[name] else { return nil }
        guard kind == wanted else { throw value.fault(.memberNotOfKind, "Only a \(wanted.rawValue) has this member.") }
        return value
    }
}
