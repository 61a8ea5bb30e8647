extension Coding {
    /// Creates a coding from a system and a code.
    public init(system: String?, code: String?, display: String? = nil) {
        self.init()
        self.system = system
        self.code = code
        self.display = display
    }
}

extension CodeableConcept {
    /// Creates a concept from codings and a text.
    public init(coding: [Coding], text: String? = nil) {
        self.init()
        self.coding = coding
        self.text = text
    }
}
