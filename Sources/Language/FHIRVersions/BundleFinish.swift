import FHIR

/// Constraints of R4 on Bundles that the older releases did not have (<https://hl7.org/fhir/R4/bundle.html#invs>).
enum BundleFinish {
    static func finish(_ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion) {
        let type = output.object["type"]?.string ?? ""
        if type == "document" {
            identify(place, &output, &conversion)
            date(place, &output, &conversion)
        }
        if withRequests.contains(type) {
            complete(
                "request", ["_method": DataAbsent.element, "_url": DataAbsent.element], place, &output, &conversion)
        }
        if withResponses.contains(type) {
            complete("response", ["_status": DataAbsent.element], place, &output, &conversion)
        }
    }

    /// The types of Bundles in which every entry has a request; entries of other types have none (bdl-3).
    static let withRequests: Set<String> = ["batch", "history", "transaction"]

    /// The types of Bundles in which every entry has a response; entries of other types have none (bdl-4).
    static let withResponses: Set<String> = ["batch-response", "history", "transaction-response"]

    /// Adds a required element with unknown content to the entries that lack it.
    private static func complete(
        _ key: String, _ unknown: JSON, _ place: ConversionPlace, _ output: inout ConversionOutput,
        _ conversion: inout Conversion
    ) {
        guard var entries = output.object["entry"]?.array else { return }
        for (index, entry) in entries.enumerated() where entry[key] == nil && entry.object != nil {
            entries[index][key] = unknown
            conversion.note(
                .supplied, "Bundle.entry." + key, "R4 requires it in a Bundle of this type; it is not known",
                ConversionTrail.index(place.trail.member("entry"), index).member(key))
        }
        output.object["entry"] = .array(entries)
    }

    /// Adds the identifier with system and value that a document requires (bdl-9).
    private static func identify(
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        var identifier = output.object["identifier"]?.object ?? JSONObject()
        func has(_ key: String) -> Bool { identifier[key] != nil || identifier["_" + key] != nil }
        guard !has("system") || !has("value") else { return }
        if !has("system") { identifier["_system"] = DataAbsent.element }
        if !has("value") {
            if let id = output.object["id"]?.string {
                identifier["value"] = .string(id)
            } else {
                identifier["_value"] = DataAbsent.element
            }
        }
        output.object["identifier"] = .object(identifier)
        conversion.note(
            .supplied, "Bundle.identifier", "from the id, its system is not known", place.trail.member("identifier"))
    }

    /// Adds the time that a document requires (bdl-10).
    private static func date(
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        guard output.object["timestamp"] == nil else { return }
        let updated = output.object["meta"]?["lastUpdated"]?.string
        let first = output.object["entry"]?[0]?["resource"]?["date"]?.string
        guard let time = [updated, first].lazy.compactMap({ $0.flatMap(PrimitiveRepair.instant) }).first else {
            conversion.note(
                .supplied, "Bundle.timestamp", "not known, though R4 requires it of a document",
                place.trail.member("timestamp"))
            output.object["_timestamp"] = DataAbsent.element
            return
        }
        output.object["timestamp"] = .string(time)
        conversion.note(
            .supplied, "Bundle.timestamp", "from meta.lastUpdated or the document's date",
            place.trail.member("timestamp"))
    }
}
