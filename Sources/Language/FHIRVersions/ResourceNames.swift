import FHIR

/// The resource types that R4 names otherwise (<https://hl7.org/fhir/R4/history.html>).
enum ResourceNames {
    static let renamed = [
        "BodySite": "BodyStructure",
        "Conformance": "CapabilityStatement",
        "DeviceUseRequest": "DeviceRequest",
        "DiagnosticOrder": "ServiceRequest",
        "DiagnosticRequest": "ServiceRequest",
        "EligibilityRequest": "CoverageEligibilityRequest",
        "EligibilityResponse": "CoverageEligibilityResponse",
        "MedicationOrder": "MedicationRequest",
        "ProcedureRequest": "ServiceRequest",
        "QuestionnaireAnswers": "QuestionnaireResponse",
        "ReferralRequest": "ServiceRequest",
        "Sequence": "MolecularSequence",
    ]

    /// Returns R4's name of the type; `Basic` for one without a successor, nil for one that no release knows.
    ///
    /// Procedure requests of DSTU2 are R4's ServiceRequest as those of STU3 are.
    static func newer(_ type: String, in source: ElementTable) -> String? {
        if let name = renamed[type] { return name }
        if FHIRConversion.resourceTypes.contains(type) { return type }
        guard source.describesResource(type) else { return nil }
        return ElementTable.r4.describesResource(type) ? type : "Basic"
    }

    /// The relative or absolute URL of a resource (`DiagnosticOrder/1`) under the type's newer name; nil where it is
    /// the same. An absolute one is renamed only where it is known to be a resource of the type.
    static func renamed(url: String, in source: ElementTable, isAbsolute: Bool = false) -> (text: String, type: String)?
    {
        var parts = url.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let place = isAbsolute ? parts.count - 2 : 0
        guard parts.count > 1, parts.indices.contains(place), let new = newer(parts[place], in: source),
            new != parts[place]
        else { return nil }
        parts[place] = new
        return (parts.joined(separator: "/"), new)
    }
}
