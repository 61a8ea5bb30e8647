import FHIR
import FHIRPath

/// Returns the sum of the weights of the chosen options; nil if none has a weight.
func score(_ response: QuestionnaireResponse) throws -> JSON? {
    let total = try FHIRPathExpression("repeat(item).answer.value.weight().sum()")
    return try total.evaluate(TypedElement(resource: response.object)).first?.json
}
