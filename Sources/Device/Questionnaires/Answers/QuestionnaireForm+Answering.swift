import FHIR

extension QuestionnaireForm {
    /// Answers the form from a file of answers, and checks the response.
    ///
    /// - Parameters:
    ///   - answers: as ``AnswerSet`` describes them.
    ///   - subject: a reference such as `Patient/x`.
    ///   - authored: with the person's offset, as `DateTime.now()` tells it.
    /// - Returns: the response, and what is wrong with the answers or with the response they make.
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
