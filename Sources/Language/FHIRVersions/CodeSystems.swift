import FHIR

/// The code systems that have another URL in R4 (<https://hl7.org/fhir/R4/terminologies-systems.html>).
enum CodeSystems {
    /// A system and one of its codes, as in R4.
    struct Coded: Equatable {
        var system: String
        var version: String?
        var code: String?
    }

    /// Returns R4's system and code; nil if they are unchanged.
    static func renamed(system: String, code: String?) -> Coded? {
        if let special = special[system], code != nil || special.system != system {
            guard let codes = special.codes else { return Coded(system: special.system, code: code) }
            // A code that the renamed system no longer has keeps its old system, because it has no meaning in the new
            // one.
            guard let code else { return Coded(system: special.system, code: nil) }
            return codes[code].map { Coded(system: special.system, code: $0) }
        }
        guard let name = name(of: system, below: "http://hl7.org/fhir/") else { return nil }
        if let table = CodeSystems.name(of: name, below: "v2/") {
            // Some tables have several versions, which are part of their older URL: http://hl7.org/fhir/v2/0360/2.7.
            let parts = table.split(separator: "/", omittingEmptySubsequences: false)
            guard let number = parts.first, parts.count <= 2, number.count == 4, number.allSatisfy(\.isNumber) else {
                return nil
            }
            return Coded(
                system: home + "v2-" + number, version: parts.count == 2 ? String(parts[1]) : nil, code: code)
        }
        if let table = CodeSystems.name(of: name, below: "v3/") {
            guard !table.isEmpty, !table.contains("/") else { return nil }
            return Coded(system: home + "v3-" + table, code: code)
        }
        guard moved.contains(name) else { return nil }
        guard let code else { return Coded(system: home + name, code: nil) }
        if let lost = lost[name], lost.contains(code) { return nil }
        let codes = name == "data-absent-reason" ? absentReasons : [:]
        return Coded(system: home + name, code: codes[code] ?? code)
    }

    /// Returns R4's URL of a code system that is defined in the resource; nil if R4's system is another one or has
    /// other codes.
    static func renamed(definition url: String) -> (system: String, version: String?)? {
        guard special[url] == nil, let renamed = renamed(system: url, code: nil) else { return nil }
        let name = renamed.system.dropFirst(home.count)
        guard lost[String(name)] == nil, name != "data-absent-reason" else { return nil }
        return (renamed.system, renamed.version)
    }

    /// Returns R4's canonical URL of a value set: value sets of v2 and v3 moved with their code systems.
    static func renamed(valueSet url: String) -> String? {
        for family in ["v2-", "v3-"] {
            if let name = name(of: url, below: "http://hl7.org/fhir/ValueSet/" + family) {
                return "http://terminology.hl7.org/ValueSet/" + family + name
            }
        }
        return nil
    }

    /// Data absent reasons that have another code in R4 (<https://hl7.org/fhir/R4/valueset-data-absent-reason.html>).
    static let absentReasons = [
        "asked": "asked-unknown", "temp": "temp-unknown", "astext": "as-text", "NaN": "not-a-number",
        "notasked": "not-asked",
    ]

    private static let home = "http://terminology.hl7.org/CodeSystem/"

    /// Codes that moved systems no longer have.
    private static let lost: [String: Set<String>] = [
        "organization-type": ["fed", "icu", "pharm"], "condition-ver-status": ["unknown"],
    ]

    /// Systems with another name, some of them also with other codes.
    private static let special: [String: (system: String, codes: [String: String]?)] = [
        "http://hl7.org/fhir/marital-status": (home + "v3-MaritalStatus", nil),
        "http://hl7.org/fhir/contracttypecodes": (home + "contract-type", nil),
        "http://hl7.org/fhir/contractsubtypecodes": (home + "contractsubtypecodes", nil),
        "http://hl7.org/fhir/timing-abbreviation": (home + "v3-GTSAbbreviation", nil),
        "http://nema.org/dicom/dicm": ("http://dicom.nema.org/resources/ontology/DCM", nil),
        "http://hl7.org/fhir/identifier-type": (
            home + "v2-0203", ["UDI": "UDI", "SNO": "SNO", "SB": "SB", "PLAC": "PLAC", "FILL": "FILL"]
        ),
        "http://hl7.org/fhir/encounter-state": ("http://hl7.org/fhir/encounter-status", nil),
        "http://hl7.org/fhir/questionnaire-status": (
            "http://hl7.org/fhir/publication-status", ["draft": "draft", "published": "active", "retired": "retired"]
        ),
        "http://hl7.org/fhir/conformance-resource-status": ("http://hl7.org/fhir/publication-status", nil),
        "http://hl7.org/fhir/devicestatus": (
            "http://hl7.org/fhir/device-status",
            ["available": "active", "not-available": "inactive", "entered-in-error": "entered-in-error"]
        ),
        "http://hl7.org/fhir/resource-types": ("http://hl7.org/fhir/resource-types", ResourceNames.renamed),
        "http://hl7.org/fhir/encounter-class": (home + "v3-ActCode", encounterClasses.mapValues(\.code)),
    ]

    /// DSTU2's classes of encounters that have an equivalent in ActCode
    /// (<https://hl7.org/fhir/R4/v3/ActEncounterCode/vs.html>).
    static let encounterClasses: [String: (code: String, display: String)] = [
        "inpatient": ("IMP", "inpatient encounter"), "outpatient": ("AMB", "ambulatory"),
        "ambulatory": ("AMB", "ambulatory"), "emergency": ("EMER", "emergency"), "home": ("HH", "home health"),
        "field": ("FLD", "field"), "virtual": ("VR", "virtual"),
    ]

    private static func name(of url: some StringProtocol, below prefix: String) -> String? {
        url.hasPrefix(prefix) ? String(url.dropFirst(prefix.count)) : nil
    }
}
