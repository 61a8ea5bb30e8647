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
        { part, context, output, conversion in
            for pair in part.pairs {
                // An app may already write R4's form.
                if pair.value.object != nil {
                    let inside = context.to + "." + key
                    let known = conversion.value(
                        pair.value, inside: (from: inside, to: inside), type: "", path: context.from + "." + part.key,
                        at: pair.trail)
                    if let known { output.append(known, to: key) }
                    continue
                }
                var element = ConversionOutput()
                let path = context.from + "." + part.key
                let value = conversion.value(
                    pair.value, inside: (from: "", to: nil), type: "string", path: path, at: pair.trail)
                if value == nil, pair.value != .null { conversion.addFormNote(path, at: pair.trail) }
                element.set(child, to: value ?? .null, sibling: conversion.sibling(pair.sibling, at: pair.trail))
                if !element.isEmpty { output.append(.object(element.finished), to: key) }
            }
        }
    }

    /// Converts the UDI: DSTU2's text is the human-readable form on the device; STU3's element is R4's with another
    /// name.
    private static let udi: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard var object = pair.value.object else {
                backbone("carrierHRF", to: "udiCarrier")(part.with(pair), context, &output, &conversion)
                continue
            }
            var name = ConversionOutput()
            if object["name"] != nil || object["_name"] != nil {
                let trail = pair.trail.member("name")
                let text = conversion.value(
                    object["name"] ?? .null, inside: (from: "", to: nil), type: "string", path: "Device.udi.name",
                    at: trail)
                if text == nil, object["name"] != nil { conversion.addFormNote("Device.udi.name", at: trail) }
                name.set("name", to: text ?? .null, sibling: conversion.sibling(object["_name"] ?? .null, at: trail))
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
