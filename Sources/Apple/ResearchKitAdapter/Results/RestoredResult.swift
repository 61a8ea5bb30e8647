#if canImport(ResearchKit)
    import FHIR
    import ResearchKit
    import ResearchKitForms
    import ResearchResults

    /// A saved result as ResearchKit's objects, which can be changed and written again.
    ///
    /// A result of a class that is not supported becomes an `ORKResult` with its identifier, times and user info. Nothing
    /// of the JSON is lost: ``serialized()`` writes all that the app did not change as it was read. An object that the app
    /// copies or adds is written as a new one.
    ///
    /// ```swift
    /// let restored = try RestoredResult(bytes)
    /// print(restored.unconverted.classNames)
    /// restored.task?.stepResult(forStepIdentifier: "diary")?.userInfo = ["checked": true]
    /// let again = try restored.serialized().json
    /// ```
    public struct RestoredResult {
        /// The object of the whole result.
        public let object: ORKResult
        /// The classes and members of the JSON that the objects do not have.
        public let unconverted: [UnconvertedPart]
        private let origins: [ObjectIdentifier: ResultOrigin]

        /// Reads the JSON of a result.
        ///
        /// - Throws: ``ResearchKitForms/SurveyResultError`` with the location, for a text that is not JSON, is too large or
        ///   too deep, or has a member of a wrong type. A task result needs its `taskRunUUID`.
        public init(_ bytes: some Collection<UInt8>) throws(SurveyResultError) {
            try self.init(SurveyResult(bytes))
        }

        /// Reads a result from JSON that is parsed already.
        ///
        /// - Throws: the errors of reading from bytes.
        public init(json: JSON) throws(SurveyResultError) { try self.init(SurveyResult(json: json)) }

        /// Creates the objects of a result.
        ///
        /// - Throws: ``ResearchKitForms/SurveyResultError`` `result-malformed` with the location.
        public init(_ result: SurveyResult) throws(SurveyResultError) {
            var reader = ResultReader()
            object = try reader.object(result)
            unconverted = reader.unconverted
            origins = reader.origins
        }

        /// The object of the whole result, if it is the result of a task.
        public var task: ORKTaskResult? { object as? ORKTaskResult }

        /// Returns the result as JSON, with all members that were read and that the app did not change.
        ///
        /// - Throws: ``ResearchKitForms/SurveyResultError`` as ``ResearchKit/ORKResult/serialized()``.
        public func serialized() throws(SurveyResultError) -> SerializedResult {
            try ResultWriter(for: .storage, origins: origins).serialized(object)
        }
    }
#endif
