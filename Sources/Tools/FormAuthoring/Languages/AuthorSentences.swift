import Questionnaires

/// The sentences of ``FormReview`` and of the problems of a form in other languages than English. They are not in the
/// library of forms, because an app does not show them.
package enum AuthorSentences {
    /// The sentences for authors, and those of the library.
    package static let table = SentenceTable.standard.adding([("de", german), ("es", spanish), ("fr", french)])
}
