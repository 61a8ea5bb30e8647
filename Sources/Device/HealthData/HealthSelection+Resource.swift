import FHIR

extension HealthSelection.Inclusion {
    /// Of what may be taken only where a consent names it, the kind that a device's resource is: it is taken where the
    /// consent names one of these. Empty for all that needs no name.
    ///
    /// Routes and series of beat-to-beat times are known by their code, what hospitals wrote by its type, and where
    /// that is Observation by the identifier that such records get (``ClinicalRecord/idSystem``). A DocumentReference
    /// is a note, or it holds the original of another record: nothing but its content tells which, so either name will
    /// do.
    public static func permitting(_ resource: Resource) -> Set<HealthSelection.Inclusion> {
        switch resource.resourceType {
        case Observation.resourceType: permitting(observation: resource)
        case "DocumentReference": [.clinicalRecords, .notes]
        case let type where ClinicalRecord.resourceTypes.contains(type): [.clinicalRecords]
        default: []
        }
    }

    private static func permitting(observation: Resource) -> Set<HealthSelection.Inclusion> {
        let observation = Observation(observation.object)
        let codings = observation.code?.coding ?? []
        let codes = codings.filter { $0.system == HealthCodeSystem.healthKit }.map(\.code)
        if codes.contains(SpecialKind.workoutRoute.identifier) { return [.routes] }
        if codes.contains(SpecialKind.heartbeatSeries.identifier) { return [.heartbeats] }
        return observation.identifier.contains { $0.system == ClinicalRecord.idSystem } ? [.clinicalRecords] : []
    }
}

extension ClinicalRecord {
    /// The types of resources that HealthKit's clinical records are, besides Observation, and DocumentReference for those
    /// that cannot be read as R4 (<https://developer.apple.com/documentation/healthkit/hkclinicaltypeidentifier>).
    public static let resourceTypes: Set<String> = [
        "AllergyIntolerance", "Condition", "Coverage", "DiagnosticReport", "DocumentReference", "Immunization",
        "MedicationDispense", "MedicationRequest", "MedicationStatement", "Procedure",
    ]
}
