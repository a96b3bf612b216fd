-- rows of rounds that have ended no longer lie as they came, which told who had sent after whom
CLUSTER hushrank.answers USING answers_pkey;
