import FHIR

/// Turns resources of older releases into R4.
///
/// Read: Contract, QuestionnaireResponse (with its older name QuestionnaireAnswers), Questionnaire, Patient,
/// Observation, Device, Encounter, Group, Organization, ValueSet, CodeSystem, Binary and Bundles of these, each also where it is
/// contained; a Condition or ReferralRequest where it is contained in one of these. Other resources in a Bundle or among
/// the contained ones are kept as they are, and a note names them. Nothing vanishes: what R4 has no element for stands in the official cross-version extension
/// (<https://hl7.org/fhir/R4/versions.html#extensions>) or is named in the notes.
public enum FHIRConversion {
    /// An R4 resource with what could not be carried over one to one.
    public struct Converted: Sendable, Hashable {
        public let resource: Resource
        public let notes: [ConversionNote]

        public init(resource: Resource, notes: [ConversionNote]) {
            self.resource = resource
            self.notes = notes
        }
    }

    /// The resource types that an older release is read of.
    public static let resourceTypes: Set<String> = [
        "Binary", "Bundle", "CodeSystem", "Contract", "Device", "Encounter", "Group", "Observation", "Organization",
        "Patient", "Questionnaire",
        "QuestionnaireAnswers", "QuestionnaireResponse", "ValueSet",
    ]

    /// The resource types that are converted only where they are contained in one of ``resourceTypes``: R4 could not be
    /// read otherwise.
    static let containedTypes: Set<String> = ["Condition", "ReferralRequest"]

    /// The resource as R4. An R4 resource is returned as it is.
    ///
    /// - Throws: ``FHIRConversionError`` where the resource type is not read in this release.
    public static func toR4(
        _ resource: Resource, from version: FHIRVersion
    ) throws(FHIRConversionError) -> Converted {
        guard version != .r4 else { return Converted(resource: resource, notes: []) }
        guard resourceTypes.contains(resource.resourceType) else {
            throw FHIRConversionError.unsupportedType(resource.resourceType, version)
        }
        var conversion = Conversion(from: version)
        let object = conversion.resource(resource.object)
        return Converted(resource: Resource(object), notes: conversion.notes)
    }
}

/// Why a resource cannot be converted.
public enum FHIRConversionError: Error, Sendable, Hashable {
    /// Resources of this type are not read in the older release.
    case unsupportedType(String, FHIRVersion)

    public var code: String { "fhir-version-unsupported-type" }

    public var message: String {
        switch self {
        case .unsupportedType(let type, let version):
            "Resources of type \(type) are not read in FHIR \(version.number); send them as R4."
        }
    }
}
