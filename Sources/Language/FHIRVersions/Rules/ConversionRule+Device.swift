import FHIR

extension ConversionRule {
    /// Device: <https://hl7.org/fhir/DSTU2/device.html>, <https://hl7.org/fhir/STU3/device.html>.
    static let device: [String: Rule] = [
        "Device.model": renamed("modelNumber"),
        "Device.version": backbone("value", to: "version"),
        "Device.udi": udi,
        "Device.expiry": renamed("expirationDate"),
    ]

    static let olderDevice: [String: Rule] = [
        "Device.status": code(["available": "active", "not-available": "inactive"])
    ]

    /// Converts a primitive into the only child of an element.
    private static func backbone(_ child: String, to key: String) -> Rule {
        { part, place, output, conversion in
            for pair in part.pairs {
                // An app may already write R4's form.
                if pair.value.object != nil {
                    let inside = place.to + "." + key
                    let known = conversion.value(
                        pair.value, (from: inside, to: inside), type: "", place.from + "." + part.key, pair.trail)
                    if let known { output.append(known, to: key) }
                    continue
                }
                var element = ConversionOutput()
                let path = place.from + "." + part.key
                let value = conversion.value(pair.value, (from: "", to: nil), type: "string", path, pair.trail)
                if value == nil, pair.value != .null { conversion.noteForm(path, pair.trail) }
                element.set(child, value ?? .null, conversion.sibling(pair.sibling, pair.trail))
                if !element.isEmpty { output.append(.object(element.finished), to: key) }
            }
        }
    }

    /// Converts the UDI: DSTU2's text is the human-readable form on the device; STU3's element is R4's with another
    /// name.
    private static let udi: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            guard var object = pair.value.object else {
                backbone("carrierHRF", to: "udiCarrier")(part.with(pair), place, &output, &conversion)
                continue
            }
            var name = ConversionOutput()
            if object["name"] != nil || object["_name"] != nil {
                let trail = pair.trail.member("name")
                let text = conversion.value(
                    object["name"] ?? .null, (from: "", to: nil), type: "string", "Device.udi.name", trail)
                if text == nil, object["name"] != nil { conversion.noteForm("Device.udi.name", trail) }
                name.set("name", text ?? .null, conversion.sibling(object["_name"] ?? .null, trail))
                if !name.isEmpty { name.object["type"] = "udi-label-name" }
                object["name"] = nil
                object["_name"] = nil
            }
            let carrier = conversion.element(object, from: "Device.udi", to: "Device.udiCarrier", at: pair.trail)
            if !carrier.isEmpty { output.append(.object(carrier), to: "udiCarrier") }
            if !name.isEmpty { output.append(.object(name.finished), to: "deviceName") }
        }
    }
}
