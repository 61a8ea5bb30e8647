import FHIR

extension HealthImportReport {
    /// The import report as JSON: elements read, converted, skipped by type and reason, and repaired, and the other
    /// counts by name.
    public var json: JSON {
        var object = JSONObject()
        object["outcome"] = .string(outcome.rawValue)
        if let problem { object["problem"] = ["code": .string(problem.code), "message": .string(problem.message)] }
        object["read"] = .number(JSONNumber(read))
        object["converted"] = .number(JSONNumber(converted))
        object["convertedByType"] = Self.json(convertedByType)
        var reasons = JSONObject()
        for (type, counts) in skipped.sorted(by: { $0.key < $1.key }) {
            reasons[type] = Self.json(Dictionary(counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +))
        }
        object["skipped"] = .object(reasons)
        object["skippedTotal"] = .number(JSONNumber(skippedTotal))
        object["repaired"] = Self.json(repaired)
        object["implausible"] = Self.json(implausible)
        object["elements"] = Self.json(elements)
        object["parts"] = Self.json(parts)
        if !droppedMetadata.isEmpty {
            object["droppedMetadata"] = Self.json(
                Dictionary(droppedMetadata.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +))
        }
        object["notRead"] = Self.json(notRead)
        object["filtered"] = Self.json(filtered)
        if !otherResources.isEmpty {
            var kinds = JSONObject()
            for (kind, counts) in otherResources.sorted(by: { $0.key < $1.key }) { kinds[kind] = Self.json(counts) }
            object["besides"] = .object(kinds)
        }
        if !fileProblems.isEmpty { object["fileProblems"] = Self.json(fileProblems) }
        if !fileNotes.isEmpty { object["fileNotes"] = Self.json(fileNotes) }
        return .object(object)
    }

    private static func json(_ counts: [String: Int]) -> JSON {
        var object = JSONObject()
        for (key, count) in counts.sorted(by: { $0.key < $1.key }) { object[key] = .number(JSONNumber(count)) }
        return .object(object)
    }
}
