import FHIR
import Foundation

/// Extensions for data of CareKit that have no element in R4: `urn:tributary:carekit:NAME`.
enum CareExtension {
    static let prefix = "urn:tributary:carekit:"

    /// An extension with a value.
    static func value(_ name: String, type: String, _ value: JSON) -> JSON {
        ["url": .string(prefix + name), "value" + type: value]
    }

    /// An extension with a text; nil for an empty text.
    static func text(_ name: String, _ json: JSON?) -> JSON? {
        FHIRText.string(json).map { value(name, type: "String", .string($0)) }
    }

    /// An extension with a whole number.
    static func integer(_ name: String, _ number: Int) -> JSON {
        Int32(exactly: number) != nil
            ? value(name, type: "Integer", .number(JSONNumber(number)))
            : value(name, type: "String", .string(String(number)))
    }

    /// An extension with parts; nil if there are none.
    static func group(_ name: String, _ parts: [JSON?]) -> JSON? {
        let parts = parts.compactMap { $0 }
        return parts.isEmpty ? JSON?.none : ["url": .string(prefix + name), "extension": .array(parts)]
    }
}

/// Texts and times in FHIR's formats.
enum FHIRText {
    /// A string of FHIR: without control characters that FHIR does not allow; nil if nothing but white space is left.
    static func string(_ json: JSON?) -> String? {
        guard let text = json?.string else { return nil }
        let allowed = text.unicodeScalars.filter { $0.value >= 32 || $0 == "\t" || $0 == "\n" || $0 == "\r" }
        let string = String(String.UnicodeScalarView(allowed))
        return string.allSatisfy(\.isWhitespace) ? nil : string
    }

    /// A time, with the offset of a time zone.
    static func dateTime(_ date: Date, in zone: TimeZone) -> JSON { .string(DateTime(date, in: zone).text) }
}

extension JSON {
    /// Sets a member if the value is not nil.
    mutating func set(_ name: String, _ value: JSON?) {
        guard let value else { return }
        self[name] = value
    }

    /// Sets a member to an array if it is not empty.
    mutating func set(_ name: String, elements: [JSON?]) {
        let elements = elements.compactMap { $0 }
        if !elements.isEmpty { self[name] = .array(elements) }
    }
}
