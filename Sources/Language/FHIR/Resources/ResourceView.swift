/// A typed view of a resource (<https://hl7.org/fhir/R4/resource.html>).
public protocol ResourceView: ElementView, ResourceContent {
    /// The name in `resourceType`; empty for a view of any resource.
    static var resourceType: String { get }
}

extension ResourceView {
    /// The name of the resource's type; empty if it has none.
    public var resourceType: String { object[value: "resourceType"] ?? "" }

    /// `Resource.id`: id, 0..1.
    ///
    /// <https://hl7.org/fhir/R4/resource-definitions.html#Resource.id>
    public var id: String? {
        get { object[value: "id"] }
        set {
            guard let newValue else {
                object["id"] = nil
                return
            }
            object.set("id", .string(newValue), at: 1)
        }
    }

    /// `Resource.meta`: Meta, 0..1.
    ///
    /// <https://hl7.org/fhir/R4/resource-definitions.html#Resource.meta>
    public var meta: Meta? {
        get { object[element: "meta"] }
        set { object[element: "meta"] = newValue }
    }

    /// `Resource.implicitRules`: uri, 0..1.
    ///
    /// <https://hl7.org/fhir/R4/resource-definitions.html#Resource.implicitRules>
    public var implicitRules: String? {
        get { object[value: "implicitRules"] }
        set { object[value: "implicitRules"] = newValue }
    }

    /// The id and extensions of ``implicitRules``.
    public var implicitRulesElement: PrimitiveElement? {
        get { object[sibling: "implicitRules"] }
        set { object[sibling: "implicitRules"] = newValue }
    }

    /// `Resource.language`: code, 0..1, preferred binding to <http://hl7.org/fhir/ValueSet/languages>.
    ///
    /// <https://hl7.org/fhir/R4/resource-definitions.html#Resource.language>
    public var language: String? {
        get { object[value: "language"] }
        set { object[value: "language"] = newValue }
    }

    /// The id and extensions of ``language``.
    public var languageElement: PrimitiveElement? {
        get { object[sibling: "language"] }
        set { object[sibling: "language"] = newValue }
    }

    /// The same JSON as a resource of any type.
    public var resource: Resource { Resource(object) }
}

/// A typed view of a resource that can have a narrative, contained resources and extensions
/// (<https://hl7.org/fhir/R4/domainresource.html>): all types but Bundle, Parameters and Binary.
public protocol DomainResourceView: ResourceView {}

extension DomainResourceView {
    /// `DomainResource.text`: Narrative, 0..1.
    ///
    /// <https://hl7.org/fhir/R4/domainresource-definitions.html#DomainResource.text>
    public var text: Narrative? {
        get { object[element: "text"] }
        set { object[element: "text"] = newValue }
    }

    /// `DomainResource.contained`: Resource, 0..*.
    ///
    /// <https://hl7.org/fhir/R4/domainresource-definitions.html#DomainResource.contained>
    public var contained: [Resource] {
        get { object[elements: "contained"] }
        set { object[elements: "contained"] = newValue }
    }

    /// `DomainResource.modifierExtension`: Extension, 0..*.
    ///
    /// <https://hl7.org/fhir/R4/domainresource-definitions.html#DomainResource.modifierExtension>
    public var modifierExtension: [Extension] {
        get { object[elements: "modifierExtension"] }
        set { object[elements: "modifierExtension"] = newValue }
    }

    /// Returns the contained resource to which a `#id` reference refers.
    public func containedResource(_ reference: String?) -> Resource? {
        guard let reference, reference.hasPrefix("#") else { return nil }
        let id = reference.dropFirst()
        return contained.first { $0.id.map { $0 == id || $0 == reference } ?? false }
    }
}
