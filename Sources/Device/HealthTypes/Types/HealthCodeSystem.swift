import FHIR

/// The code systems that health observations use.
public enum HealthCodeSystem {
    /// LOINC.
    public static let loinc = "http://loinc.org"
    /// SNOMED CT.
    public static let snomed = "http://snomed.info/sct"
    /// HealthKit's identifiers, as Apple's documentation names them.
    public static let healthKit = CodeSystemURL.healthKit
    /// HL7's categories of observations.
    public static let observationCategory = "http://terminology.hl7.org/CodeSystem/observation-category"
    /// `average`, `maximum`, `minimum` (<https://hl7.org/fhir/R4/codesystem-observation-statistics.html>).
    public static let statistics = "http://terminology.hl7.org/CodeSystem/observation-statistics"
    /// Codes for distinctions that no standard code makes: the statistics of a workout, and basal as opposed to other
    /// body temperature.
    public static let component = "urn:tributary:health-component"
}
