import FHIR
import Questionnaires

extension FormSession {
    /// Returns the current limits of a question's answers.
    func limits(of item: FormItem, at path: ItemPath) -> RenderPlan.Limits {
        let limits = limits(at: path)
        return RenderPlan.Limits(item, minimum: limits.minimum, maximum: limits.maximum)
    }
}
