#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms
    import ResearchResults

    /// A result of ResearchKit as JSON, with the files and images that are not part of the JSON.
    ///
    /// The JSON has the names of ResearchKit's own serializer: `_class` and the properties. Times have no fraction of a
    /// second.
    ///
    /// ```swift
    /// let serialized = try controller.result.serialized()
    /// let result = try serialized.researchResult(descriptor: "sleep")
    /// print(serialized.unconverted.classNames)
    /// ```
    public struct SerializedResult {
        /// A file of a result. The JSON has its type and its name.
        public struct ResultFile: Sendable, Hashable {
            /// The location of the result, such as `$.results[0].results[2]`.
            public let location: String
            /// The identifier of the result.
            public let identifier: String
            /// The URL of the file.
            public let url: URL
        }

        /// The image of a signature.
        public struct ResultImage {
            /// The location of the result that has the signature, such as `$.results[0].results[2]`.
            public let location: String
            /// The identifier of the result.
            public let identifier: String
            /// The image.
            public let image: UIImage
        }

        /// The result as a value.
        public let result: SurveyResult
        /// The files, in the order of the results.
        public let files: [ResultFile]
        /// The images of signatures, in the order of the results.
        public let images: [ResultImage]
        /// The classes and members that the JSON does not contain.
        public let unconverted: [UnconvertedPart]

        /// The JSON of the result.
        public var json: JSON { result.json }

        /// Returns the result for saving, with the checks of the server.
        ///
        /// - Parameter descriptor: the name of the study; nil means `""`.
        /// - Throws: ``ResearchResults/ResearchResultError`` with the location.
        public func researchResult(descriptor: String? = nil) throws(ResearchResultError) -> ResearchResult {
            try ResearchResult(json: json, descriptor: descriptor)
        }
    }

    extension ORKResult {
        /// Returns the result as JSON.
        ///
        /// A result of a class that is not supported has its identifier, times and user info only, and
        /// ``SerializedResult/unconverted`` has the name of its class. A result of an app's subclass of a supported class
        /// is written as the supported class, and is reported too.
        ///
        /// - Throws: ``ResearchKitForms/SurveyResultError`` `result-too-deep` or `result-too-many`, so also for a result
        ///   that contains itself.
        public func serialized() throws(SurveyResultError) -> SerializedResult {
            try ResultWriter(for: .storage).serialized(self)
        }
    }
#endif
