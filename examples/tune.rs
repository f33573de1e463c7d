fn main() { fcgen::llm::grammar::tune::tune() }
