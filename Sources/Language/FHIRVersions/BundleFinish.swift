import FHIR

/// What R4 asks of Bundles and the older releases did not (<https://hl7.org/fhir/R4/bundle.html#invs>).
enum BundleFinish {
    static func finish(_ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion) {
        guard output.object["type"]?.string == "document" else { return }
        identify(place, &output, &conversion)
        date(place, &output, &conversion)
    }

    /// A document has an identifier with a system and a value (bdl-9).
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

    /// A document has a time (bdl-10).
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
