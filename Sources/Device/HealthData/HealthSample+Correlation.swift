extension HealthType {
    /// Whether the correlation is blood pressure, whose two members form one value. Other correlations are groups.
    public var isBloodPressure: Bool { identifier == "HKCorrelationTypeIdentifierBloodPressure" }
}

extension HealthTypeTable {
    /// Returns the correlation to which all samples of a type belong, and the index of the type among its components;
    /// nil for types whose samples are independent.
    public func correlation(of type: HealthType) -> (type: HealthType, index: Int)? {
        guard let correlation = type.correlation.flatMap(self.type),
            let index = correlation.components.firstIndex(where: { $0.identifier == type.identifier })
        else { return nil }
        return (correlation, index)
    }
}

extension HealthValue {
    /// Returns the value of one member of a blood pressure, by its index among the components.
    public static func pressure(_ quantity: HealthQuantity, at index: Int) -> HealthValue {
        .bloodPressure(systolic: index == 0 ? quantity : nil, diastolic: index == 0 ? nil : quantity)
    }
}

extension HealthSample.Content {
    /// Maximum number of members of a correlation. A meal has a few dozen; a file with thousands is an invented one.
    public static let memberLimit = 128

    /// Returns the correlation with the values of its members: for a blood pressure the first of each.
    ///
    /// - Throws: the ``SkipReason`` if its times are out of range or no member has a value.
    public func correlating(
        _ members: [HealthSample], details: HealthDetails, zones: inout TimeZoneOffsets
    ) throws(SkipReason) -> HealthSample {
        var sample = self
        if let problem = HealthSample(sample).timeProblem { throw problem }
        for member in members { sample.repairs.formUnion(member.repairs) }
        guard let value = type.isBloodPressure ? Self.pressure(of: members) : Self.group(of: members) else {
            throw .incompleteCorrelation
        }
        sample.value = value
        details.complete(&sample, &zones)
        if details.zone == nil, let member = members.first, member.start.seconds == sample.start.seconds {
            sample.start.offsetMinutes = member.start.offsetMinutes
            if member.end.seconds == sample.end.seconds { sample.end.offsetMinutes = member.end.offsetMinutes }
        }
        if details.context.wasUserEntered == nil, let member = members.first {
            sample.context.wasUserEntered = member.context.wasUserEntered
        }
        return HealthSample(sample)
    }

    private static func pressure(of members: [HealthSample]) -> HealthValue? {
        var systolic: HealthQuantity?
        var diastolic: HealthQuantity?
        for member in members {
            guard case .bloodPressure(let first, let second) = member.value else { continue }
            systolic = systolic ?? first
            diastolic = diastolic ?? second
        }
        return systolic == nil && diastolic == nil ? nil : .bloodPressure(systolic: systolic, diastolic: diastolic)
    }

    private static func group(of members: [HealthSample]) -> HealthValue? {
        let parts = members.compactMap { member -> HealthMember? in
            guard case .quantity(let quantity) = member.value, let measure = member.type.measure else { return nil }
            return HealthMember(
                measure: measure, quantity: quantity, fingerprint: member.fingerprint,
                alternates: member.alternateFingerprints)
        }
        return parts.isEmpty ? nil : .components(parts)
    }
}
