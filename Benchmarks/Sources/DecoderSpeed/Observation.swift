/// An Observation as an app would declare it for JSONDecoder.
struct CodableObservation: Codable {
    var resourceType: String
    var id: String?
    var meta: Meta?
    var identifier: [Identifier]?
    var status: String
    var category: [CodeableConcept]?
    var code: CodeableConcept
    var subject: Reference?
    var effectiveDateTime: String?
    var effectivePeriod: Period?
    var issued: String?
    var performer: [Reference]?
    var valueQuantity: Quantity?
    var valueCodeableConcept: CodeableConcept?
    var valueString: String?
    var dataAbsentReason: CodeableConcept?
    var interpretation: [CodeableConcept]?
    var note: [Annotation]?
    var bodySite: CodeableConcept?
    var method: CodeableConcept?
    var device: Reference?
    var referenceRange: [ReferenceRange]?
    var component: [Component]?

    struct Meta: Codable {
        var versionId: String?
        var lastUpdated: String?
        var profile: [String]?
    }
    struct Identifier: Codable {
        var use: String?
        var type: CodeableConcept?
        var system: String?
        var value: String?
    }
    struct Coding: Codable {
        var system: String?
        var version: String?
        var code: String?
        var display: String?
    }
    struct CodeableConcept: Codable {
        var coding: [Coding]?
        var text: String?
    }
    struct Reference: Codable {
        var reference: String?
        var type: String?
        var display: String?
    }
    struct Period: Codable {
        var start: String?
        var end: String?
    }
    struct Quantity: Codable {
        var value: Double?
        var comparator: String?
        var unit: String?
        var system: String?
        var code: String?
    }
    struct Annotation: Codable {
        var text: String
        var time: String?
    }
    struct ReferenceRange: Codable {
        var low: Quantity?
        var high: Quantity?
        var appliesTo: [CodeableConcept]?
        var text: String?
    }
    struct Component: Codable {
        var code: CodeableConcept
        var valueQuantity: Quantity?
        var valueCodeableConcept: CodeableConcept?
        var valueString: String?
        var interpretation: [CodeableConcept]?
        var referenceRange: [ReferenceRange]?
    }
}
