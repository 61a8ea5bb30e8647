import FHIR
import Foundation

extension AnswerCheck {
    /// Checks that a quantity's unit is permitted, by code and system.
    static func units(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        guard value.type == "Quantity" else { return [] }
        // A text that the form contains for one of its units is that unit.
        let value = value.quantity?.unit == nil ? value : item.measured(value)
        let limits = item.limits
        let code = value.quantity?.code
        if limits.hasUnitSet, code == nil, !limits.takesOtherUnits {
            return [Finding("unit-value-set", "The answer's unit needs a code from the question's value set of units.")]
        }
        if !limits.units.isEmpty, !limits.takesOtherUnits {
            let fits = limits.units.contains { unit in
                guard let wanted = unit.code else { return unit.display == value.quantity?.unit }
                return wanted == code && (unit.system == nil || unit.system == value.quantity?.system)
            }
            return fits
                ? []
                : [
                    Finding(
                        limits.hasUnitSet ? "unit-value-set" : "unit",
                        "The question does not permit the answer's unit.")
                ]
        }
        if let unit = item.unit?.code, let code, unit != code, !limits.takesOtherUnits, !limits.hasUnitSet {
            return [Finding("unit", "The answer's unit differs from the question's unit.", severity: .warning)]
        }
        return []
    }

    static func attachment(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        guard value.type == "Attachment" else { return [] }
        var findings: [Finding] = []
        if !item.limits.mimeTypes.isEmpty {
            let type = value.attachment?.contentType ?? ""
            if !item.limits.mimeTypes.contains(where: { matches(type, $0) }) {
                findings.append(Finding("mime-type", "Files of this type are not taken."))
            }
        }
        let data = value.attachment?.data
        let length = data.flatMap { $0.base64ByteCount }
        if data != nil, length == nil { findings.append(Finding("attachment-data", "The file's data is not base64.")) }
        let declared = value.json["size"]?.number?.decimal
        if let maximum = item.limits.maxSize,
            let size = [length.map { Decimal($0) }, declared].compactMap({ $0 }).max(),
            size > maximum
        {
            findings.append(Finding("max-size", "The file is larger than \(maximum) bytes."))
        }
        if let length, let declared, Decimal(length) != declared {
            findings.append(Finding("attachment-size", "The file's size differs from the declared one."))
        }
        return findings
    }

    private static func matches(_ type: String, _ allowed: String) -> Bool {
        let essence =
            type.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } ?? ""
        let wanted = allowed.lowercased()
        return wanted == "*/*" || essence == wanted || (wanted.hasSuffix("/*") && essence.hasPrefix(wanted.dropLast()))
    }

    /// The names of the resources of FHIR R4.
    private static let resourceTypes = Set(TypeModel.r4.resourceTypes)

    /// Checks that a reference is relative, absolute, contained or logical, and refers to a permitted type
    /// (<https://hl7.org/fhir/R4/references.html>).
    static func reference(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        guard value.type == "Reference", let reference = value.reference else { return [] }
        let literal = reference.literal
        if let text = reference.reference {
            let isAbsolute = uriScheme(text) != nil && url(text).isEmpty
            guard literal != nil || isAbsolute || (text.hasPrefix("#") && text.count > 1) else {
                return [Finding("reference", "The reference is not in a form that FHIR permits.")]
            }
            if let type = literal?.type, !resourceTypes.contains(type) {
                return [Finding("reference-type-unknown", "FHIR R4 does not define the referenced resource type.")]
            }
            if literal == nil, text.hasPrefix("http") {
                return [Finding("reference", "The URL does not end with a resource's type and id.", severity: .warning)]
            }
        } else if reference["identifier"] == nil, reference["display"] == nil {
            return [Finding("reference", "The reference has no target.")]
        }
        let type = literal?.type ?? reference.type
        guard !item.limits.referenceTypes.isEmpty, let type, !item.limits.referenceTypes.contains(type) else {
            return []
        }
        return [Finding("reference-type", "The question does not permit a reference to a resource of this type.")]
    }

    /// Checks a URI reference (RFC 3986): no spaces, controls or backslashes; a valid UUID or OID after `urn:uuid:` or
    /// `urn:oid:`.
    static func url(_ text: String) -> [Finding] {
        let wrong = [Finding("url", "The answer is not a valid URL.")]
        let forbidden: Set<Unicode.Scalar> = ["\\", "<", ">", "\"", "{", "}", "|", "^", "`"]
        guard !text.isEmpty,
            text.unicodeScalars.allSatisfy({
                $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace && !forbidden.contains($0)
            })
        else { return wrong }
        if text.hasPrefix("urn:uuid:") {
            let uuid = text.dropFirst(9)
            return uuid.utf8.count == 36 && UUID(text: String(uuid)) != nil && uuid == uuid.lowercased()
                ? [] : wrong
        }
        if text.hasPrefix("urn:oid:") {
            let arcs = text.dropFirst(8).split(separator: ".", omittingEmptySubsequences: false)
            let isOID =
                arcs.count > 1 && ["0", "1", "2"].contains(arcs.first)
                && arcs.allSatisfy { arc in
                    !arc.isEmpty && arc.utf8.allSatisfy { (0x30...0x39).contains($0) }
                        && (arc == "0" || arc.first != "0")
                }
            return isOID ? [] : wrong
        }
        let scheme = uriScheme(text)
        if ["http", "https", "ftp"].contains(scheme?.lowercased()) {
            // A host must follow the scheme.
            let rest = text.drop { $0 != ":" }.dropFirst()
            guard rest.hasPrefix("//"), let host = rest.dropFirst(2).first, !"/?#".contains(host) else { return wrong }
        }
        // A colon before the first slash ends a scheme, otherwise the text is not a URI reference (RFC 3986, section
        // 4.2).
        if scheme == nil, let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") { return wrong }
        return []
    }

    private static func uriScheme(_ text: String) -> Substring? {
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first,
            (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
        else { return nil }
        let scheme = text[..<colon]
        let isScheme = scheme.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
                || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
        }
        return isScheme ? scheme : nil
    }
}
