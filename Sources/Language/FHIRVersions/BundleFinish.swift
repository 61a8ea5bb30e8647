import FHIR

/// Constraints of R4 on Bundles that the older releases did not have (<https://hl7.org/fhir/R4/bundle.html#invs>).
enum BundleFinish {
    static func finish(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        let type = output.object["type"]?.string ?? ""
        if type == "document" {
            identify(context, output: &output, conversion: &conversion)
            date(context, output: &output, conversion: &conversion)
        }
        if withRequests.contains(type) {
            complete(
                "request", with: ["_method": DataAbsent.element, "_url": DataAbsent.element], in: context,
                output: &output, conversion: &conversion)
        }
        if withResponses.contains(type) {
            complete(
                "response", with: ["_status": DataAbsent.element], in: context, output: &output, conversion: &conversion
            )
        }
    }

    /// The types of Bundles in which every entry has a request; entries of other types have none (bdl-3).
    static let withRequests: Set<String> = ["batch", "history", "transaction"]

    /// The types of Bundles in which every entry has a response; entries of other types have none (bdl-4).
    static let withResponses: Set<String> = ["batch-response", "history", "transaction-response"]

    /// Adds a required element with unknown content to the entries that lack it.
    private static func complete(
        _ key: String, with unknown: JSON, in context: ConversionContext, output: inout ConversionOutput,
        conversion: inout ReleaseConversion
    ) {
        guard var entries = output.object["entry"]?.array else { return }
        for (index, entry) in entries.enumerated() where entry[key] == nil && entry.object != nil {
            entries[index][key] = unknown
            conversion.addNote(
                .supplied, path: "Bundle.entry." + key,
                detail: "R4 requires it in a Bundle of this type; it is not known",
                at: ConversionTrail.index(context.trail.member("entry"), index).member(key))
        }
        output.object["entry"] = .array(entries)
    }

    /// Adds the identifier with system and value that a document requires (bdl-9).
    private static func identify(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
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
        conversion.addNote(
            .supplied, path: "Bundle.identifier", detail: "from the id, its system is not known",
            at: context.trail.member("identifier"))
    }

    /// Adds the time that a document requires (bdl-10).
    private static func date(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        guard output.object["timestamp"] == nil else { return }
        let updated = output.object["meta"]?["lastUpdated"]?.string
        let first = output.object["entry"]?[0]?["resource"]?["date"]?.string
        guard let time = [updated, first].lazy.compactMap({ $0.flatMap(PrimitiveRepair.instant) }).first else {
            conversion.addNote(
                .supplied, path: "Bundle.timestamp", detail: "not known, though R4 requires it of a document",
                at: context.trail.member("timestamp"))
            output.object["_timestamp"] = DataAbsent.element
            return
        }
        output.object["timestamp"] = .string(time)
        conversion.addNote(
            .supplied, path: "Bundle.timestamp", detail: "from meta.lastUpdated or the document's date",
            at: context.trail.member("timestamp"))
    }
}
