import FHIR

extension Form {
    /// Answers the form from a file of answers, and checks the response.
    ///
    /// - Returns: the response, and what is wrong with the answers or with the response they make.
    public func answer(
        _ answers: JSON, subject: String?, authored: DateTime?
    ) -> (response: QuestionnaireResponse, problems: [ResponseProblem]) {
        var session = FormSession(self)
        let problems = AnswerSet(answers).apply(to: &session)
        let response = session.response(subject: subject, authored: authored)
        return (response, problems + ResponseValidator(self).problems(in: response))
    }
}
