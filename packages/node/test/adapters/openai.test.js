import { adapterTests } from "./kit.js";

// The SDK makes a text of its own of an error, before a hook can see it.
adapterTests("openai", { failed: false, hidden: true });
