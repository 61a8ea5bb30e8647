import Questionnaires

extension FormItem {
    /// The display hints; nil if the form contains none.
    var hints: RenderHints? { RenderHints.reading(source) }
}
