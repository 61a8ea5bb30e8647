#if canImport(ResearchKit)
    import FHIR
    import ResearchKit
    import ResearchKitForms

    extension SurveyResult {
        /// Creates the value of a result, for the answers of a form: with the URLs of its files and without user info.
        ///
        /// An app's own subclass of a question's result counts as ResearchKit's class. A class that is not supported has
        /// its name, identifier and times only. Results beyond ``maximumDepth`` and ``maximumResults`` are left out.
        public init(_ result: ORKResult) {
            var writer = ResultWriter(for: .form)
            self.init(checked: writer.object(result))
        }

        /// The result without the times of its parts, for comparison.
        var withoutTimes: SurveyResult {
            var plain = self
            plain.startDate = nil
            plain.endDate = nil
            plain.results = results.map(\.withoutTimes)
            return plain
        }

        /// ResearchKit's object of a question's result, to fill in a form in advance; nil for other classes.
        var answer: ORKResult? {
            var reader = ResultReader()
            return try? reader.object(self) as? ORKQuestionResult
        }
    }
#endif
