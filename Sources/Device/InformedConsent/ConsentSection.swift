/// One section of a consent, as a person reads it.
public struct ConsentSection: Sendable, Hashable {
    /// The topic of a section; the raw values are the codes of ``ConsentVocabulary/sectionType``.
    public enum Kind: String, Sendable, CaseIterable {
        /// The study in brief, as a welcome.
        case overview = "Overview"
        /// The protection of the person's data.
        case privacy = "Privacy"
        /// The data that the study collects, and from where.
        case dataGathering = "DataGathering"
        /// The purposes for which the data are used, and by whom.
        case dataUse = "DataUse"
        /// The time that taking part needs.
        case timeCommitment = "TimeCommitment"
        /// The questions that the study asks.
        case studySurvey = "StudySurvey"
        /// The tasks that the person carries out for the study.
        case studyTasks = "StudyTasks"
        /// The way to leave the study, and its consequences.
        case withdrawing = "Withdrawing"
        /// A subject of the study's own, with a heading that the contract gives.
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

    /// The section's subject, from the code of `Contract.term.type`
    /// (<https://hl7.org/fhir/R4/contract-definitions.html#Contract.term.type>).
    public let kind: Kind
    /// The heading: the contract's, else the kind's own. It may be empty.
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

    /// Makes a section; without a title it has the heading of its kind.
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
