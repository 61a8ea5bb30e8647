extension ResourceView {
    /// Creates the typed view of a resource; nil if the resource has another type.
    ///
    /// ```swift
    /// guard let form = Questionnaire(try Resource(bytes)) else { return }
    /// ```
    public init?(_ resource: Resource) {
        guard Self.resourceType.isEmpty || resource.resourceType == Self.resourceType else { return nil }
        self.init(resource.object)
    }
}
