extension Coding {
    /// A code of a system.
    public init(system: String?, code: String?, display: String? = nil) {
        self.init()
        self.system = system
        self.code = code
        self.display = display
    }
}

extension CodeableConcept {
    /// A concept by its codes, and in plain words.
    public init(coding: [Coding], text: String? = nil) {
        self.init()
        self.coding = coding
        self.text = text
    }
}
