import Consumer
import Storage

/// The published files of a study, compiled, with the versions of its forms that the records have.
actor PublishedStudyFiles {
    private let files: PublishedFiles<PublishedStudy>
    private let records: any SQLDatabase
    private var known: (edition: Int, study: PublishedStudy)?

    init(_ files: PublishedFiles<PublishedStudy>, records: any SQLDatabase) {
        self.files = files
        self.records = records
    }

    /// The study as its files are now. The records are read again when a file changes, since only then a version becomes a former
    /// one.
    func value() async -> PublishedStudy {
        let (edition, study) = await files.current()
        if let known, known.edition == edition { return known.study }
        // While the store cannot be read, the present versions count; it is read again for the next submission.
        guard let former = try? await FormerForms.read(from: records) else { return study }
        let whole = study.with(former)
        known = (edition, whole)
        return whole
    }
}
