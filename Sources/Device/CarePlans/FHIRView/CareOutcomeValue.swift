import FHIR
import Foundation

/// A value of an outcome or a target, in FHIR's types.
struct CareOutcomeValue {
    /// The type in the name of FHIR's element (`value[x]`), and the value; nil if FHIR has none for it.
    let element: (type: String, value: JSON)?
    /// The time of the value.
    let created: JSON?
    /// Extensions of an Observation for data without an element.
    let extensions: [JSON?]

    init(_ json: JSON, in zone: TimeZone) {
        created = Date(careSeconds: json["createdDate"]).map { FHIRText.dateTime($0, in: zone) }
        let value = json["value"] ?? .null
        let units = FHIRText.string(json["units"])
        var isUnitUsed = false
        var binary: JSON?
        switch json["type"]?.string {
        case "integer" where units == nil && value.integer.flatMap({ Int32(exactly: $0) }) != nil:
            element = ("Integer", value)
        case "integer", "double":
            var quantity: JSON = ["value": value]
            quantity.set("unit", units.map { .string($0) })
            isUnitUsed = true
            element = ("Quantity", quantity)
        case "boolean": element = ("Boolean", value)
        case "text": element = FHIRText.string(value).map { ("String", .string($0)) }
        case "date": element = Date(careSeconds: value).map { ("DateTime", FHIRText.dateTime($0, in: zone)) }
        case "binary":
            element = nil
            if value.string?.isEmpty == false { binary = CareExtension.value("binary", type: "Base64Binary", value) }
        default: element = nil
        }
        extensions = [binary, isUnitUsed ? JSON?.none : CareExtension.text("units", json["units"])]
    }

    /// The value as the part of an extension; nil if there is none.
    var `extension`: JSON? {
        if let element { return CareExtension.value("value", type: element.type, element.value) }
        return extensions.compactMap { $0 }.first { $0["valueBase64Binary"] != nil }
    }
}
