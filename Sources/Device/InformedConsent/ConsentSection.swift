/// One section of a consent, as a person reads it.
public struct ConsentSection: Sendable, Hashable {
    /// What a section is about; the raw values are the codes of ``ConsentVocabulary/sectionType``.
    public enum Kind: String, Sendable, CaseIterable {
        case overview = "Overview"
        case privacy = "Privacy"
        case dataGathering = "DataGathering"
        case dataUse = "DataUse"
        case timeCommitment = "TimeCommitment"
        case studySurvey = "StudySurvey"
        case studyTasks = "StudyTasks"
        case withdrawing = "Withdrawing"
        case custom = "Custom"
        /// Stands in the document that is signed, and on no screen before it.
        case onlyInDocument = "OnlyInDocument"

        /// The heading where the contract gives none.
        public var title: String {
            switch self {
            case .overview: "Welcome"
            case .privacy: "Privacy"
            case .dataGathering: "Data Gathering"
            case .dataUse: "Data Use"
            case .timeCommitment: "Time Commitment"
            case .studySurvey: "Study Survey"
            case .studyTasks: "Study Tasks"
            case .withdrawing: "Withdrawing"
            case .custom, .onlyInDocument: ""
            }
        }
    }

    public let kind: Kind
    public let title: String
    /// The term's text in a few sentences.
    public let summary: String?
    /// The full text as HTML. It is the study's, yet show it without scripts.
    public let htmlContent: String?
    /// The name of a file with the full text as HTML.
    public let htmlContentFile: String?
    /// The name of a picture.
    public let image: String?
    /// The name of a film.
    public let animation: String?

    public init(
        kind: Kind, title: String? = nil, summary: String? = nil, htmlContent: String? = nil,
        htmlContentFile: String? = nil, image: String? = nil, animation: String? = nil
    ) {
        self.kind = kind
        self.title = title ?? kind.title
        self.summary = summary
        self.htmlContent = htmlContent
        self.htmlContentFile = htmlContentFile
        self.image = image
        self.animation = animation
    }
}
