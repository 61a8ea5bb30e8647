import FHIR

extension ElementTable {
    /// The elements of FHIR R4 (4.0.1).
    static let r4 = ElementTable(model: .r4)

    /// Creates the table of R4's types and their elements from the type model.
    fileprivate init(model: TypeModel) {
        self.init()
        for index in 0..<model.typeCount {
            let type = TypeModel.TypeID(index: Int32(index))
            guard model.kind(of: type) != .primitive else { continue }
            let path = model.name(of: type)
            let inner = model.elements(of: type).map { element in
                let backbone = element.types.first.flatMap { model.kind(of: $0.type) == .backbone ? $0.type : nil }
                return Member(
                    name: element.name, isChoice: element.isChoice,
                    types: backbone == nil ? element.types.map { model.name(of: $0.type) } : [],
                    children: backbone.map { model.name(of: $0) }, isRequired: element.min > 0,
                    isRepeated: element.isRepeated, isModifier: element.isModifier)
            }
            add(inner, below: path)
        }
    }
}
