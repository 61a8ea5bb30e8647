extension Reference {
    /// A reference by its literal text.
    public init(_ reference: String) {
        self.init()
        self.reference = reference
    }

    /// The type and id of a relative or absolute literal reference, without a version; nil for `#contained`,
    /// `urn:` and logical references.
    public var literal: (type: String, id: String)? {
        guard let reference, !reference.hasPrefix("#"), !reference.hasPrefix("urn:") else { return nil }
        var parts = reference.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if let history = parts.lastIndex(of: "_history") { parts.removeSubrange(history...) }
        guard parts.count >= 2, let id = parts.last, Resource.isID(id), Resource.isTypeName(parts[parts.count - 2])
        else { return nil }
        // A server's name is no type: `http://X/a` has an empty part before it.
        guard parts.count < 3 || !parts[parts.count - 3].isEmpty else { return nil }
        return (parts[parts.count - 2], id)
    }
}
