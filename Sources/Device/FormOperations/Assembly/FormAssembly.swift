import FHIR

/// Assembles a modular form: it replaces the display items that name a sub-form by the items of that form
/// (<https://hl7.org/fhir/uv/sdc/modular.html>).
///
/// ```swift
/// let (form, problems) = FormAssembly.assembled(master) { canonical in library.form(canonical.text) }
/// ```
public enum FormAssembly {
    /// Assembles a form and all sub-forms, recursively.
    ///
    /// An item whose `definition` names an item of another form (`url#linkId`) gets the elements that it lacks, and the
    /// items below it, from that item.
    ///
    /// - Parameters:
    ///   - questionnaire: the form with the items `subQuestionnaire`.
    ///   - library: returns a sub-form for its canonical URL; nil if it is not available.
    /// - Returns: the whole form with the URL and version of the form, or nil if there is an error; and the problems:
    ///   - `sub-questionnaire-circle`: a form contains itself.
    ///   - `sub-questionnaire-missing`: the library does not have the form, or not in this version.
    ///   - `sub-questionnaire-disagrees`: the sub-form has another language, security label, endpoint, entry mode ...
    ///   - `sub-questionnaire-extension`: the root of the sub-form has an extension that only a whole form has.
    ///   - `assemble-context-missing`: the sub-form needs a variable that is not in scope.
    ///   - `variable-repeated`, `link-id-repeated`, `contained-repeated`: two parts have the same name.
    ///   - `link-id-prefix`: the variable `linkIdPrefix` is not a text.
    ///   - `too-deep`, `too-large`: a limit is exceeded.
    public static func assembled(
        _ questionnaire: Questionnaire, limits: OperationLimits = OperationLimits(),
        library: (CanonicalURL) -> Questionnaire?
    ) -> (form: Questionnaire?, problems: [OperationProblem]) {
        withoutActuallyEscaping(library) { library in
            var run = AssemblyRun(questionnaire, limits: limits, library: library)
            let form = run.assembled()
            return (run.log.hasErrors ? nil : form, run.log.problems)
        }
    }
}
