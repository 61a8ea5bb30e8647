import FHIR

extension QuestionnaireForm {
    /// Answers the form from an answers file, and checks the response.
    ///
    /// - Parameters:
    ///   - answers: the answers in the format of ``AnswerSet``.
    ///   - subject: a reference such as `Patient/x`.
    ///   - authored: the time with the person's offset, as `DateTime.now()` returns it.
    /// - Returns: the response, and the problems of the answers and of the response.
    public func answer(
        _ answers: JSON, rules: EnablementRules = EnablementRules(), status: QuestionnaireAnswersStatus = .completed,
        subject: String?, authored: DateTime?
    ) -> (response: QuestionnaireResponse, problems: [ResponseProblem]) {
        var session = FormSession(self, rules: rules)
        let moment = authored ?? .now()
        session.clock = { moment }
        let problems = AnswerSet(answers).apply(to: &session)
        let response = session.response(status: status, subject: subject, authored: authored)
        return (response, problems + ResponseValidator(self, rules: rules, now: moment).problems(in: response))
    }
}
