import FHIR

extension ElementTable {
    /// The elements of FHIR R4 (4.0.1) that the conversion needs.
    static let r4 = ElementTable(
        model: .r4, types: FHIRConversion.resourceTypes.union(dataTypes).union(["Condition", "ServiceRequest"]))

    private static let dataTypes: Set<String> = [
        "Address", "Age", "Annotation", "Attachment", "CodeableConcept", "Coding", "ContactDetail", "ContactPoint",
        "Count", "Distance", "Duration", "Element", "Extension", "HumanName", "Identifier", "Meta", "Money",
        "Narrative", "Period", "Quantity", "Range", "Ratio", "Reference", "SampledData", "Signature", "Timing",
        "UsageContext",
    ]

    /// The types with the elements inside of them, as the model of R4 describes them.
    fileprivate init(model: TypeModel, types: Set<String>) {
        self.init()
        var open = types.compactMap { model.type($0) }
        while let type = open.popLast() {
            let path = model.name(of: type)
            guard !describes(path) else { continue }
            let inner = model.elements(of: type).map { element in
                let backbone = element.types.first.flatMap { model.kind(of: $0.type) == .backbone ? $0.type : nil }
                if let backbone { open.append(backbone) }
                return Member(
                    name: element.name, isChoice: element.isChoice,
                    types: backbone == nil ? element.types.map { model.name(of: $0.type) } : [],
                    children: backbone.map { model.name(of: $0) }, isRequired: element.min > 0,
                    isRepeated: element.isRepeated)
            }
            add(inner, below: path)
        }
    }
}
